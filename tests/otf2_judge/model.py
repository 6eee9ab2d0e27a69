"""What the judge keeps while it walks through the events: tasks, the implicit-task frames of a location, forks.

Each location has frames: a base, and one more for each team that it is in. A frame runs one task,
its implicit task or an explicit one, and every task has a stack of its own, which it keeps while it
is suspended. The inner frame's tasks run on top of the outer frames' tasks, which go on meanwhile.
"""

PROGRAM = "program"  # What stands on a stack for ProgramBegin; a region's reference for Enter.


class Task:
    """A task. Its stack holds (region, PROGRAM or Fork; clock when it was put there)."""

    __slots__ = ("key", "stack", "location", "total", "since")

    def __init__(self, key):
        self.key = key  # (comm, creating thread, generation)
        self.stack = []
        self.location = None  # Where it runs, while it runs.
        self.total = 0  # Ticks that it has run, up to `since`.
        self.since = None

    def clock(self, now):
        """For how many ticks it has run."""
        return self.total if self.since is None else self.total + now - self.since

    def resume(self, location, now):
        """It runs from now on."""
        self.location, self.since = location, now

    def suspend(self, now):
        """It no longer runs."""
        self.total, self.since, self.location = self.clock(now), None, None

    def top(self):
        """What was begun last and has not ended."""
        return self.stack[-1][0] if self.stack else None

    def __str__(self):
        comm, thread, generation = self.key
        what = "implicit task" if generation == 0 else f"task {generation} of"
        return f"{what} thread {thread} in comm {comm}"


class Frame:
    """A location's part in one team, or its base."""

    __slots__ = ("comm", "implicit", "running", "fork")

    def __init__(self, comm, number, fork, location, now):
        self.comm, self.fork = comm, fork  # None and None for a base without tasks.
        self.implicit = self.running = Task((comm, number, 0))
        self.implicit.resume(location, now)


class Location:
    """A location's frames, the base first."""

    __slots__ = ("reference", "frames", "last")

    def __init__(self, reference):
        self.reference = reference
        self.frames = [Frame(None, 0, None, reference, 0)]
        self.last = 0

    @property
    def top(self):
        """The innermost frame."""
        return self.frames[-1]


class Fork:
    """From ThreadFork to ThreadJoin."""

    __slots__ = ("location", "frame", "comm", "time", "begun", "inside")

    def __init__(self, location, frame, time):
        self.location, self.frame, self.time = location, frame, time
        self.comm = None  # The team's, once one of its threads has begun.
        self.begun = set()  # Locations that have begun, and those still inside.
        self.inside = set()
