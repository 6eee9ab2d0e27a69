"""Forks and the teams that they open: ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd."""

from definitions import UNDEFINED
from model import Fork, Frame


class Teams:
    """The open forks, and the checks of who may begin in which team and when."""

    def __init__(self, definitions, tasks, figures):
        self.definitions, self.tasks, self.figures = definitions, tasks, figures
        self.open = {}  # Location -> its open forks, the innermost last.

    def fork(self, location, now, report):
        """ThreadFork, by the task that runs."""
        fork = Fork(location.reference, location.top, now)
        self.open.setdefault(location.reference, []).append(fork)
        self.tasks.enter(location, fork, now, report)

    def join(self, location, now, report):
        """ThreadJoin, of the task's innermost fork."""
        task = self.tasks.running(location, report)
        forks = [what for what, _ in task.stack if isinstance(what, Fork)]
        if not forks:
            report("join-without-fork", f"by {task}")
            return
        fork = forks[-1]
        if task.top() is not fork:
            report("join-with-open-regions", f"inside {self.tasks.shown(task.top())}")
        while task.stack.pop()[0] is not fork:
            pass
        self._close(fork)
        self.figures.joined(now - fork.time)
        self._check_members(fork, report)

    def _close(self, fork):
        forks = self.open[fork.location]
        forks.remove(fork)
        if not forks:
            del self.open[fork.location]

    def _check_members(self, fork, report):
        if fork.inside:
            report("join-before-team-end", f"locations {sorted(fork.inside)} are still in the team")
        members = self.definitions.members.get(fork.comm, ())
        missing = [one for one in members if one not in fork.begun]
        if missing:
            report("team-member-missing", f"locations {missing} never began")

    def join_ready(self, location):
        """Whether all threads of the team have ended."""
        forks = self.open.get(location.reference)
        return not forks or not forks[-1].inside

    def find_fork(self, location, comm):
        """The innermost open fork that may have called this location into this team."""
        record = self.definitions.get("Comm", comm)
        members = self.definitions.ranks.get(comm, {})
        few, many = sorted((self.open, members), key=len)
        for member in [one for one in few if one in many]:
            for fork in reversed(self.open[member]):
                same = fork.comm in (None, comm) and location.reference not in fork.begun
                if same and self._is_parent(record.parent, fork):
                    return fork
        return None

    def _is_parent(self, parent, fork):
        """A team's parent is the team that forked. Outside of teams it is none, or the comm that
        the forking location has for its own tasks."""
        if fork.frame.fork is None:
            return parent in UNDEFINED or self.definitions.members.get(parent) == (fork.location,)
        return parent == fork.frame.comm

    def begin(self, location, comm, now, report):
        """ThreadTeamBegin."""
        number = self.definitions.rank(comm, location.reference)
        known = self.definitions.get("Comm", comm) is not None
        fork = self.find_fork(location, comm) if known else None
        if known and number is None:
            members = self.definitions.members[comm]
            report("team-of-others", f"comm {comm} has the locations {members}")
        elif known and fork is None:
            report("team-without-fork", f"no open fork of the parent team calls for comm {comm}")
        if fork:
            fork.comm = comm
            fork.begun.add(location.reference)
            fork.inside.add(location.reference)
            if location.reference != fork.location and len(location.frames) > 1:
                report("team-overlap", f"the location is still in comm {location.top.comm}")
        # A frame without fork would be a base.
        fork = fork or Fork(location.reference, location.top, now)
        location.frames.append(Frame(comm, number, fork, location.reference, now))

    def end(self, location, comm, report):
        """ThreadTeamEnd."""
        frame = location.top
        if len(location.frames) == 1:
            report("team-end-without-begin", f"comm {comm}")
            return
        if comm != frame.comm:
            report("team-end-of-other", f"comm {comm} inside comm {frame.comm}")
        if frame.running is not frame.implicit:
            report("team-end-inside-task", f"{frame.running or 'no task'} runs")
        if frame.implicit.stack:
            report("team-end-with-open-regions", f"inside {self.tasks.shown(frame.implicit.top())}")
        frame.fork.inside.discard(location.reference)
        location.frames.pop()
