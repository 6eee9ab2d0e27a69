"""One stack per task: ThreadTask* events, and what is entered and left."""

from model import PROGRAM, Fork, Task


class Tasks:
    """All explicit tasks that are alive, and the checks of their lives."""

    def __init__(self, definitions, breaches, figures):
        self.definitions, self.breaches, self.figures = definitions, breaches, figures
        self.alive = {}
        self.completed = set()

    def ready(self, location, kind, key):
        """Whether an event of this kind can be taken now."""
        task = self.alive.get(key)
        if kind == "ThreadTaskCreate":
            return task is None
        if key[2] == 0:
            return True
        return task is not None and task.location in (None, location.reference)

    def create(self, location, key, report):
        """ThreadTaskCreate."""
        self._check_team(location, key, report)
        comm, thread, generation = key
        if generation == 0:
            report("task-generation", "generation 0 is the implicit task's")
            return
        if thread != self.definitions.rank(comm, location.reference):
            report("task-creator", f"thread {thread} of comm {comm} is not this location")
        if key in self.alive:
            report("task-created-twice", f"{self.alive[key]} is still alive")
            return
        self.completed.discard(key)
        self.alive[key] = Task(key)

    def switch(self, location, key, now, report):
        """ThreadTaskSwitch: another task runs in the location's top frame."""
        frame = location.top
        self._check_team(location, key, report)
        if key[2] == 0:
            if key[1] != self.definitions.rank(key[0], location.reference):
                report("switch-to-other-implicit-task", f"thread {key[1]} is not this location")
            task = frame.implicit
        else:
            task = self._find(key, report)
            if task.location not in (None, location.reference):
                report("task-runs-elsewhere", f"{task} runs at location {task.location}")
                return
        if frame.running:
            frame.running.suspend(now)
        task.resume(location.reference, now)
        frame.running = task

    def complete(self, location, key, now, report):
        """ThreadTaskComplete, also for a task that never ran."""
        self._check_team(location, key, report)
        if key[2] == 0:
            report("task-generation", "an implicit task ends with its team")
            return
        if key not in self.alive and key in self.completed:
            report("task-completed-twice", f"{Task(key)}")
            return
        task = self._find(key, report)
        if task.stack:
            report("complete-with-open-regions", f"{task} is in {self.shown(task.top())}")
        if task.location not in (None, location.reference):
            report("task-runs-elsewhere", f"{task} runs at location {task.location}")
        task.suspend(now)
        if location.top.running is task:
            location.top.running = None
        del self.alive[key]
        self.completed.add(key)

    def _find(self, key, report):
        """The task; one that should be there and is not is created, so that it is reported once."""
        if key not in self.alive:
            kind = "task-after-completion" if key in self.completed else "task-not-created"
            report(kind, f"{Task(key)}")
            self.alive[key] = Task(key)
        return self.alive[key]

    def _check_team(self, location, key, report):
        """Tasks belong to the location's innermost team; without a team, to a comm of its own.
        A target task of a thread outside of teams is run by hidden helpers, a team of others."""
        frame, comm = location.top, key[0]
        members = self.definitions.members.get(comm, ())
        if len(members) == 1 and members != (location.reference,) and key in self.alive:
            return
        if frame.fork is None and self.definitions.members.get(comm) == (location.reference,):
            frame.comm = comm
        if comm != frame.comm and self.definitions.get("Comm", comm):
            report("task-of-other-team", f"comm {comm} in the team of comm {frame.comm}")

    def running(self, location, report):
        """The task whose stack an event of the location changes."""
        frame = location.top
        if frame.running is None:
            report("no-task-runs", "the running task completed, and none was switched to")
            return frame.implicit
        return frame.running

    def enter(self, location, what, now, report):
        """Puts a region, a fork or the program on the running task's stack."""
        task = self.running(location, report)
        task.stack.append((what, task.clock(now)))

    def leave(self, location, region, now, report):
        """Takes a region from the running task's stack."""
        task = self.running(location, report)
        if task.top() == region:
            self.figures.left(region, task.clock(now) - task.stack.pop()[1])
        elif any(what == region for what, _ in task.stack):
            text = f"{self.shown(region)} before {self.shown(task.top())}, which is inside"
            report("leave-not-innermost", text)
            while task.top() != region:
                task.stack.pop()
            task.stack.pop()
        else:
            self._leave_unknown(location, region, task, report)

    def _leave_unknown(self, location, region, task, report):
        others = [frame.implicit for frame in location.frames] + list(self.alive.values())
        owner = next((one for one in others if one is not task and one.top() == region), None)
        if owner:
            text = f"{self.shown(region)} was entered by {owner}, but {task} runs"
            report("leave-of-other-task", text)
        else:
            text = f"{self.shown(region)}; the innermost is {self.shown(task.top())}"
            report("leave-not-entered", text)

    def shown(self, what):
        """A stack's entry in words."""
        if what is None:
            return "nothing"
        if isinstance(what, Fork):
            return f"the fork of {what.time}"
        if what == PROGRAM:
            return "the program"
        return f"region {what} ({self.definitions.name('Region', what)})"

    def close(self, breaches, unfinished):
        """Reports what is alive at the end, unless the archive says that this many tasks are."""
        for task in self.alive.values():
            if len(self.alive) != unfinished:
                breaches.add("task-open-at-end", f"{task} never completed")
            self.close_stack(task, breaches, None)
        if unfinished > len(self.alive):
            text = f"{unfinished} are said to be unfinished, {len(self.alive)} are"
            breaches.add("unfinished-tasks", text)

    def close_stack(self, task, breaches, location):
        """Reports what is on a task's stack at the end."""
        kinds = {Fork: "fork-open-at-end", str: "program-open-at-end"}
        for what, _ in task.stack:
            kind = kinds.get(type(what), "region-open-at-end")
            breaches.add(kind, f"{self.shown(what)} in {task}", location)
