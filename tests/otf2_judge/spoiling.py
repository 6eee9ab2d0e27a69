"""Small changes to a description of an archive, and the register of faults that they make.

Each fault is a function that spoils the good archive, registered with the kinds of breach that it
must cause: its own, and what follows from it of necessity.
"""

DEFECTS = []  # (name, kinds, function)
END = 590  # Locations 0 to 2 are done by then, but for the program's end and a flush.


def defect(*kinds):
    """Registers a function that spoils a description."""
    return lambda spoil: DEFECTS.append((spoil.__name__, list(kinds), spoil))


def find(archive, location, *wanted):
    """The index of the one event that begins with (time, kind, fields...)."""

    def matches(event):
        return (event[0], event[1], *event[2])[: len(wanted)] == wanted

    indices = [index for index, event in enumerate(archive.events[location]) if matches(event)]
    if len(indices) != 1:
        raise ValueError(f"{len(indices)} events {wanted} at {location}, not one")
    return indices[0]


def drop(archive, location, *wanted):
    del archive.events[location][find(archive, location, *wanted)]
    recount(archive, location)


def replace(archive, location, wanted, *new):
    time, kind, *fields = new
    archive.events[location][find(archive, location, *wanted)] = (time, kind, tuple(fields), ())


def insert(archive, location, time, kind, *fields):
    """Adds an event behind all others of its time or before."""
    events = archive.events[location]
    index = sum(event[0] <= time for event in events)
    events.insert(index, (time, kind, fields, ()))
    recount(archive, location)


def recount(archive, location):
    """Declares as many events as there are."""
    fields = list(definition(archive, "Location", location))
    fields[3] = len(archive.events[location])
    redefine(archive, "Location", location, fields)


def definition(archive, kind, reference):
    return next(f for k, f in archive.definitions if k == kind and f[0] == reference)


def redefine(archive, kind, reference, fields):
    old = (kind, definition(archive, kind, reference))
    archive.definitions[archive.definitions.index(old)] = (kind, tuple(fields))


def find_last(archive, location, *wanted):
    """The index of the last event that begins so."""
    events = archive.events[location]
    return max(i for i, event in enumerate(events) if (event[0], event[1]) == wanted[:2])
