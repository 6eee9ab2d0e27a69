"""A small sound archive that has everything: nested teams, a task that migrates, one that never
runs, locks that do not nest, ties between threads, a device, messages, markers, metrics, parameters."""

import good_messages
import good_objects
from making import MPI, NONE, OPENMP, STRING, TARGET, UINT64, Description, metric_value, property_value

LOCATIONS = {0: 1, 1: 1, 2: 1, 3: 2}  # Reference -> type: CPU thread, accelerator stream.
SERIAL, OUTER, INNER = 0, 1, 2  # Comms: for tasks outside of teams; locations 0, 1; locations 1, 2.
REGIONS = [
    # name, role, line
    ("!$omp parallel @good.c:10", 5, 10),
    ("!$omp parallel @good.c:20", 5, 20),
    ("!$omp for @good.c:12", 3, 12),
    ("!$omp task @good.c:14", 34, 14),
    ("!$omp create task @good.c:14", 21, 14),
    ("work", 1, 30),
    ("!$omp critical @good.c:16", 12, 16),
    ("!$omp critical sblock @good.c:16", 13, 16),
    ("!$omp implicit barrier @good.c:18", 16, 18),
    ("kernel", 40, 40),
    ("MPI_Wait @good.c:50", 1, 50),
]
TEAM, NESTED, LOOP, TASK, CREATE, WORK, CRITICAL, BLOCK, BARRIER, KERNEL, CALL = range(len(REGIONS))
SCHEDULE, CHUNK = 0, 1  # Parameters: a text, a number.
THREAD_ID, NOTE = 0, 1  # Attributes: a number, a text.
LOCAL = 77  # What location 2 calls NESTED, by a mapping of its own.


def good():
    """The description."""
    archive = Description()
    archive.properties["TESTS::KIND"] = "good"
    define(archive)
    root(archive)
    team(archive)
    nested(archive)
    device(archive)
    archive.markers += [
        ("DefMarker", (0, "ompttrace", "lost", 2)),
        ("Marker", (450, 0, 0, 0, 0, "3 events")),
        ("Marker", (500, 10, 0, 1, 2, "1 event")),
    ]
    for location, kind in LOCATIONS.items():
        name = archive.string(f"location {location}")
        count = len(archive.events[location])
        archive.define("Location", location, name, kind, count, 1 if kind == 2 else 0)
    after_locations(archive)
    return archive


def define(archive):
    text = archive.string
    text("")
    archive.define("ClockProperties", 1_000_000_000, 100, 900, 1_700_000_000_000_000_000)
    archive.define("Paradigm", OPENMP, text("OpenMP"), 1)
    template = property_value(text("Thread team ${id}"))
    archive.define("ParadigmProperty", OPENMP, 0, 11, template)
    archive.define("Paradigm", TARGET, text("OpenMP Target"), 3)
    archive.define("Paradigm", MPI, text("MPI"), 0)
    archive.define("SystemTreeNode", 0, text("host"), text("machine"), NONE)
    archive.define("SystemTreeNode", 1, text("gpu"), text("device"), 0)
    archive.define("SystemTreeNodeDomain", 0, 0)
    archive.define("LocationGroup", 0, text("process"), 1, 0, NONE)
    archive.define("LocationGroup", 1, text("device 0"), 2, 1, 0)
    for reference, (name, role, line) in enumerate(REGIONS):
        names = text(name), text(name.split(" @")[0]), text("")
        what = role, {KERNEL: TARGET, CALL: MPI}.get(reference, OPENMP), 0
        archive.define("Region", reference, *names, *what, text("good.c"), line, line)
    archive.define("Attribute", THREAD_ID, text("ThreadId"), text("of the system"), UINT64)
    archive.define("Attribute", NOTE, text("note"), text(""), STRING)
    archive.define("Parameter", SCHEDULE, text("schedule"), 0)
    archive.define("Parameter", CHUNK, text("chunk"), 1)


def after_locations(archive):
    """What refers to locations: properties, metrics, groups, comms."""
    archive.define("LocationProperty", 0, archive.string("number"), UINT64, property_value(7))
    none = archive.string("")
    threads, unit = archive.string("threads"), archive.string("#")
    archive.define("MetricMember", 0, threads, none, 0, 1 << 4, UINT64, 1, 0, unit)
    archive.define("MetricClass", 0, [0], 2, 1)
    archive.define("MetricInstance", 1, 0, 0, 1, 0)

    archive.define("Group", 0, none, 4, OPENMP, 0, [0, 1, 2])
    archive.define("Group", 1, none, 5, OPENMP, 0, [0])
    archive.define("Group", 2, none, 5, OPENMP, 0, [0, 1])
    archive.define("Group", 3, none, 5, OPENMP, 0, [1, 2])
    archive.define("Comm", SERIAL, none, 1, NONE, 0)
    archive.define("Comm", OUTER, none, 2, NONE, 0)
    archive.define("Comm", INNER, none, 3, OUTER, 0)
    archive.define("Group", 4, none, 4, TARGET, 0, [0, 3])
    archive.define("Group", 5, none, 5, TARGET, 0, [0, 1])
    archive.define("Comm", 3, none, 5, NONE, 0)
    archive.define("RmaWin", 0, none, 3, 0)
    good_messages.communicators(archive)
    good_objects.definitions(archive)


def at(archive, location):
    """A shorthand: at(...)(time, kind, fields...) adds an event."""
    return lambda time, kind, *fields, **more: archive.event(location, time, kind, *fields, **more)


def root(archive):
    """Location 0 before its team, with a task of its own."""
    do = at(archive, 0)
    thread = [(THREAD_ID, 4711)]
    do(100, "ProgramBegin", archive.string("good"), [archive.string("-v")], attributes=thread)
    do(105, "MeasurementOnOff", 2)
    do(108, "MeasurementOnOff", 1)
    do(110, "Enter", CREATE)
    do(110, "ThreadTaskCreate", SERIAL, 0, 1)
    do(112, "Leave", CREATE)
    do(113, "ThreadTaskSwitch", SERIAL, 0, 1)
    do(113, "Enter", TASK)
    do(118, "Leave", TASK)
    do(118, "ThreadTaskComplete", SERIAL, 0, 1)
    do(118, "ThreadTaskSwitch", SERIAL, 0, 0)


def team(archive):
    """Locations 0 and 1: a loop, a task that goes from 0 to 1, locks, and the end at one time."""
    zero, one = at(archive, 0), at(archive, 1)
    zero(200, "ThreadFork", OPENMP, 2)
    for do, thread in (zero, 4711), (one, 4712):
        do(200, "ThreadTeamBegin", OUTER, attributes=[(THREAD_ID, thread)])
        do(200, "Enter", TEAM)
        do(210, "Enter", LOOP)
        do(210, "ParameterString", SCHEDULE, archive.string("static"))
        do(210, "ParameterInt", CHUNK, -4)
        do(230, "Metric", 1, [UINT64], [metric_value(thread)])
        do(250, "Leave", LOOP)
    zero(260, "Enter", CREATE)
    zero(260, "ThreadTaskCreate", OUTER, 0, 1)
    zero(262, "Leave", CREATE)
    zero(265, "ThreadTaskCreate", OUTER, 0, 2)  # It is cancelled: completed without a run.
    zero(266, "ThreadTaskCreate", OUTER, 0, 3)
    zero(270, "ThreadTaskSwitch", OUTER, 0, 1)
    zero(270, "Enter", TASK)
    zero(280, "Enter", WORK)
    zero(300, "ThreadTaskSwitch", OUTER, 0, 0)
    one(300, "ThreadTaskSwitch", OUTER, 0, 1)
    one(310, "Leave", WORK)
    one(340, "Leave", TASK)
    one(340, "ThreadTaskComplete", OUTER, 0, 1)
    one(340, "ThreadTaskSwitch", OUTER, 1, 0)
    locks(zero, one)
    back(zero, one)
    zero(380, "Enter", BARRIER)
    zero(490, "ThreadTaskComplete", OUTER, 0, 2)
    zero(500, "Leave", BARRIER)
    zero(500, "Leave", TEAM)
    zero(500, "ThreadTeamEnd", OUTER)
    zero(500, "ThreadJoin", OPENMP)
    # The same team again, with nothing in between.
    zero(500, "ThreadFork", OPENMP, 2)
    zero(500, "ThreadTeamBegin", OUTER)
    zero(550, "ThreadTeamEnd", OUTER)
    zero(550, "ThreadJoin", OPENMP)
    good_messages.events(zero, CALL)
    good_objects.events(zero, CALL)
    zero(700, "ProgramEnd", 0)


def locks(zero, one):
    zero(320, "Enter", CRITICAL)
    zero(330, "ThreadAcquireLock", OPENMP, 0, 1)
    zero(330, "Enter", BLOCK)
    zero(340, "ThreadTaskCreate", OUTER, 0, 1)  # The same name, free since this instant.
    zero(341, "ThreadTaskComplete", OUTER, 0, 1)
    zero(351, "Leave", BLOCK)
    zero(352, "ThreadReleaseLock", OPENMP, 0, 1)  # Its stamp comes after the next acquire.
    zero(352, "Leave", CRITICAL)
    one(345, "Enter", CRITICAL)
    one(350, "ThreadAcquireLock", OPENMP, 0, 2)
    one(350, "Enter", BLOCK)
    one(360, "Leave", BLOCK)
    one(360, "ThreadReleaseLock", OPENMP, 0, 2)
    one(360, "Leave", CRITICAL)
    zero(360, "ThreadAcquireLock", OPENMP, 0, 3)
    zero(365, "ThreadAcquireLock", OPENMP, 1, 1)
    zero(370, "ThreadReleaseLock", OPENMP, 0, 3)
    zero(375, "ThreadReleaseLock", OPENMP, 1, 1)
    # At one time, and the later of the two is read first.
    zero(376, "ThreadAcquireLock", OPENMP, 2, 2)
    zero(377, "ThreadReleaseLock", OPENMP, 2, 2)
    one(376, "ThreadAcquireLock", OPENMP, 2, 1)
    one(377, "ThreadReleaseLock", OPENMP, 2, 1)
    # Acquired by one and released by the other, which is read first; and orders with gaps.
    one(377, "ThreadAcquireLock", OPENMP, 3, 1)
    zero(377, "ThreadReleaseLock", OPENMP, 3, 1)
    zero(377, "ThreadAcquireLock", OPENMP, 4, 7)
    zero(377, "ThreadReleaseLock", OPENMP, 4, 7)
    one(377, "ThreadAcquireLock", OPENMP, 4, 5)
    one(377, "ThreadReleaseLock", OPENMP, 4, 5)


def back(zero, one):
    """A task that goes from 1 to 0, which is read first."""
    one(378, "ThreadTaskSwitch", OUTER, 0, 3)
    one(378, "Enter", TASK)
    one(379, "ThreadTaskSwitch", OUTER, 1, 0)
    zero(379, "ThreadTaskSwitch", OUTER, 0, 3)
    zero(380, "Leave", TASK)
    zero(380, "ThreadTaskComplete", OUTER, 0, 3)
    zero(380, "ThreadTaskSwitch", OUTER, 0, 0)


def nested(archive):
    """Locations 1 and 2: a team inside the other, twice without a pause."""
    one, two = at(archive, 1), at(archive, 2)
    archive.regions[2] = {LOCAL: NESTED}
    for begin, end in (400, 430), (430, 480):
        one(begin, "ThreadFork", OPENMP, 2)
        for do, region in (one, NESTED), (two, LOCAL):
            do(begin, "ThreadTeamBegin", INNER)
            do(begin, "Enter", region)
            do(end, "Leave", NESTED)
            do(end, "ThreadTeamEnd", INNER)
        one(end, "ThreadJoin", OPENMP)
    one(500, "Leave", TEAM)
    one(500, "ThreadTeamEnd", OUTER)
    one(500, "ThreadTeamBegin", OUTER)
    one(550, "ThreadTeamEnd", OUTER)
    two(600, "BufferFlush", 610, attributes=[(NOTE, archive.string("full"), STRING)])


def device(archive):
    do = at(archive, 3)
    do(220, "Enter", KERNEL)
    do(225, "RmaGet", 0, 0, 64, 1)
    do(228, "RmaOpCompleteBlocking", 0, 1)
    do(240, "Leave", KERNEL)
