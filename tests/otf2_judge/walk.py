"""Walks through all events in the order of time and hands each to what judges it."""

import files
import messages
import windows
from exchanges import Exchanges
from locks import Locks
from model import PROGRAM, Location
from order import in_order
from references import EventReferences
from tasks import Tasks
from teams import Teams

LOCKS = ("ThreadAcquireLock", "ThreadReleaseLock")
TASKS = ("ThreadTaskCreate", "ThreadTaskSwitch", "ThreadTaskComplete")


class Walk:
    """The state of the walk."""

    def __init__(self, archive, definitions, breaches, figures):
        self.archive, self.breaches, self.figures = archive, breaches, figures
        self.definitions = definitions
        self.references = EventReferences(definitions, breaches)
        self.tasks = Tasks(definitions, breaches, figures)
        self.teams = Teams(definitions, self.tasks, figures)
        self.locks = Locks()
        self.messages = messages.Messages(definitions)
        self.windows, self.files = windows.Windows(definitions), files.Files(definitions)
        self.exchanges = Exchanges(definitions, archive.properties)
        self.locations = {reference: Location(reference) for reference in archive.events}
        clock = definitions.clock
        self.first = clock.offset if clock else 0
        self.last = clock.offset + clock.length if clock else float("inf")
        self.handlers = {
            "Enter": self.enter,
            "Leave": self.leave,
            "ProgramBegin": self.program_begin,
            "ProgramEnd": self.program_end,
            "ThreadFork": self.fork,
            "ThreadJoin": self.join,
            "ThreadTeamBegin": self.team_begin,
            "ThreadTeamEnd": self.team_end,
            "ThreadTaskCreate": self.task,
            "ThreadTaskSwitch": self.task,
            "ThreadTaskComplete": self.task,
            "ThreadAcquireLock": self.lock,
            "ThreadReleaseLock": self.lock,
            "BufferFlush": self.flush,
            "MeasurementOnOff": self.paused,
        }
        self.handlers.update({kind: self.message for kind in messages.KINDS})
        self.handlers.update({kind: self.window for kind in windows.KINDS})
        self.handlers.update({kind: self.file for kind in files.KINDS})

    def run(self, unfinished):
        """Judges every event, and what is left at the end: as many tasks as the archive itself says."""
        for reference, event in in_order(self.archive.events, self.ready, self.stuck):
            location = self.locations[reference]
            time, kind, fields, attributes = event
            self.figures.event(kind, fields, attributes)
            self.references.check(reference, event)
            time = self.check_time(location, time, kind)
            handler = self.handlers.get(kind)
            if handler:
                handler(location, time, kind, fields)
        self.close(unfinished)

    def reporter(self, location, time, kind):
        """A function that reports a breach of this event."""
        return lambda name, text: self.breaches.add(name, text, location.reference, time, kind)

    def check_time(self, location, time, kind):
        """Gives the time, or the last one where it went back."""
        if not self.first <= time <= self.last:
            text = f"the clock has {self.first} to {self.last}"
            self.reporter(location, time, kind)("time-outside-clock", text)
        if time < location.last:
            self.reporter(location, time, kind)("time-goes-back", f"{location.last} came before")
        location.last = max(time, location.last)
        return location.last

    def ready(self, reference, event):
        """Whether no other location's event of the same time has to come before this one."""
        _, kind, fields, _ = event
        location = self.locations[reference]
        if kind in LOCKS:
            return self.locks.ready(self.process(location), kind, fields)
        if kind in TASKS:
            return self.tasks.ready(location, kind, fields)
        if kind == "ThreadTeamBegin":
            known = self.definitions.get("Comm", fields[0])
            return not known or self.teams.find_fork(location, fields[0]) is not None
        return kind != "ThreadJoin" or self.teams.join_ready(location)

    def process(self, location):
        """The location group of a location."""
        known = self.definitions.get("Location", location.reference)
        return known and known.group

    @staticmethod
    def stuck(heads):
        """Of events that all wait: locks by their order (it may have gaps), joins last."""

        def rank(index):
            _, (_, kind, fields, _) = heads[index]
            if kind == "ThreadAcquireLock":
                return (0, fields[2])
            return (2, 0) if kind == "ThreadJoin" else (1, 0)

        return min(range(len(heads)), key=rank)

    def enter(self, location, time, kind, fields):
        self.figures.entered(fields[0])
        self.exchanges.enter(location.reference, time, fields[0])
        self.tasks.enter(location, fields[0], time, self.reporter(location, time, kind))

    def leave(self, location, time, kind, fields):
        report = self.reporter(location, time, kind)
        self.messages.leave(location, fields[0], report)
        self.windows.leave(location, fields[0], report)
        self.tasks.leave(location, fields[0], time, report)

    def message(self, location, time, kind, fields):
        self.messages.record(location, kind, fields, self.reporter(location, time, kind))
        self.exchanges.record(location.reference, time, kind, fields)

    def window(self, location, time, kind, fields):
        self.windows.record(location, kind, fields, self.reporter(location, time, kind))

    def file(self, location, time, kind, fields):
        self.files.record(location, kind, fields, self.reporter(location, time, kind))

    def program_begin(self, location, time, kind, _fields):
        self.tasks.enter(location, PROGRAM, time, self.reporter(location, time, kind))

    def program_end(self, location, time, kind, _fields):
        stack = (location.top.running or location.top.implicit).stack
        begun = [index for index, (what, _) in enumerate(stack) if what == PROGRAM]
        if not begun or begun[-1] != len(stack) - 1:
            shown = self.tasks.shown(stack[-1][0] if stack else None)
            self.reporter(location, time, kind)("program-end", f"the innermost is {shown}")
        if begun:
            del stack[begun[-1]]

    def fork(self, location, time, kind, _fields):
        self.teams.fork(location, time, self.reporter(location, time, kind))

    def join(self, location, time, kind, _fields):
        self.teams.join(location, time, self.reporter(location, time, kind))

    def team_begin(self, location, time, kind, fields):
        self.teams.begin(location, fields[0], time, self.reporter(location, time, kind))

    def team_end(self, location, time, kind, fields):
        self.teams.end(location, fields[0], self.reporter(location, time, kind))

    def task(self, location, time, kind, fields):
        report = self.reporter(location, time, kind)
        if kind == "ThreadTaskCreate":
            self.tasks.create(location, fields, report)
        elif kind == "ThreadTaskSwitch":
            self.tasks.switch(location, fields, time, report)
        else:
            self.tasks.complete(location, fields, time, report)

    def lock(self, location, time, kind, fields):
        report = self.reporter(location, time, kind)
        if kind == "ThreadAcquireLock":
            self.locks.acquire(self.process(location), fields, report)
        else:
            self.locks.release(self.process(location), fields, report)

    def paused(self, location, _time, _kind, _fields):
        self.exchanges.paused(location.reference)

    def flush(self, location, time, kind, fields):
        if not time <= fields[0] <= self.last:
            self.reporter(location, time, kind)("flush-end", f"it ends at {fields[0]}")

    def close(self, unfinished):
        """Counts, and whatever is still open."""
        for record in self.definitions.by_kind["Location"].values():
            read = len(self.archive.events[record.self])
            if read != record.events:
                text = f"{record.events} events are declared, {read} are there"
                self.breaches.add("event-count", text, record.self)
        for location in self.locations.values():
            for frame in location.frames:
                if frame.fork:
                    self.breaches.add("team-open-at-end", f"comm {frame.comm}", location.reference)
                self.tasks.close_stack(frame.implicit, self.breaches, location.reference)
        self.tasks.close(self.breaches, unfinished)
        self.exchanges.close(self.breaches)
        self.locks.close(self.breaches)
