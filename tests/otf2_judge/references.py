"""Checks the definitions by themselves, and that all that events refer to is defined."""

import re
from collections import Counter

import files
from definitions import COMM_GROUP, COMM_LOCATIONS, GLOBAL_MEMBERS, MEMBER_KINDS, MPI
from definitions import REFERENCES, UNDEFINED, VALUE_KINDS, decoded

# The events that are judged, and which of their fields refer to what. A list refers with each of
# its members.
EVENTS = {
    "Enter": [(0, "Region")],
    "Leave": [(0, "Region")],
    "ThreadTeamBegin": [(0, "Comm")],
    "ThreadTeamEnd": [(0, "Comm")],
    "ThreadTaskCreate": [(0, "Comm")],
    "ThreadTaskSwitch": [(0, "Comm")],
    "ThreadTaskComplete": [(0, "Comm")],
    "MpiSend": [(1, "Comm")],
    "MpiIsend": [(1, "Comm")],
    "MpiRecv": [(1, "Comm")],
    "MpiIrecv": [(1, "Comm")],
    "MpiCollectiveEnd": [(1, "Comm")],
    "NonBlockingCollectiveComplete": [(1, "Comm")],
    "CommCreate": [(0, "Comm")],
    "CommDestroy": [(0, "Comm")],
    "Metric": [(0, "Metric")],
    "CallingContextSample": [(0, "CallingContext"), (2, "InterruptGenerator")],
    "ParameterString": [(0, "Parameter"), (1, "String")],
    "ParameterInt": [(0, "Parameter")],
    "ParameterUnsignedInt": [(0, "Parameter")],
    "ProgramBegin": [(0, "String"), (2, "String")],
    "RmaGroupSync": [(1, "RmaWin"), (2, "Group")],
    "RmaCollectiveEnd": [(2, "RmaWin")],
}
for one in (
    "WinCreate WinDestroy RequestLock AcquireLock TryLock ReleaseLock Sync WaitChange Put Get "
    "Atomic OpCompleteBlocking OpCompleteNonBlocking OpTest OpCompleteRemote"
).split():
    EVENTS["Rma" + one] = [(0, "RmaWin")]

for one in files.KINDS:
    EVENTS[one] = [(0, "IoHandle")]

# Events without a reference. Others are none of ours: unknown.
PLAIN = (
    "BufferFlush MeasurementOnOff ProgramEnd ThreadFork ThreadJoin ThreadAcquireLock "
    "ThreadReleaseLock RmaCollectiveBegin MpiIsendComplete MpiIrecvRequest MpiRequestTest "
    "MpiRequestCancelled MpiCollectiveBegin NonBlockingCollectiveRequest"
).split()
EVENTS.update({kind: [] for kind in PLAIN})

PARAMETER_TYPES = {"ParameterString": 0, "ParameterInt": 1, "ParameterUnsignedInt": 2}


def undefined(kind):
    """The name of the breach."""
    return "undefined-" + re.sub("(?<=.)([A-Z])", r"-\1", kind).lower()


def check_definitions(definitions, breaches):
    """Everything that can be said without looking at events."""
    for record in definitions.twice:
        breaches.add("defined-twice", str(record))
    for kind, count in Counter(definitions.unknown).items():
        breaches.add("unknown-definition", f"{count} definitions {kind}")
    for record in definitions.in_order:
        check_fields(definitions, record, breaches)
    check_clock(definitions, breaches)
    check_groups(definitions, breaches)
    check_duplicates(definitions, breaches)


def check_fields(definitions, record, breaches):
    for index, kind, optional in REFERENCES[type(record).__name__]:
        references = record[index] if isinstance(record[index], tuple) else [record[index]]
        for reference in references:
            missing = definitions.get(kind, reference) is None
            if missing and not (optional and reference in UNDEFINED):
                breaches.add(undefined(kind), f"{kind} {reference} in {record}")
    if "value" in record._fields:
        check_value(definitions, record.type, record.value, breaches, str(record))


def check_value(definitions, value_type, bits, breaches, text, **where):
    """A value that is a reference must be defined."""
    kind, value = VALUE_KINDS.get(value_type), decoded(value_type, bits)
    if kind and definitions.get(kind, value) is None:
        breaches.add(undefined(kind), f"{kind} {value} in {text}", **where)


def check_clock(definitions, breaches):
    clock = definitions.clock
    if clock is None:
        breaches.add("no-clock", "there are no ClockProperties")
    elif clock.realtime in UNDEFINED or clock.realtime == 0:
        breaches.add("no-realtime", f"{clock} does not have the time of day")


def check_groups(definitions, breaches):
    counted = set()
    for group in definitions.all("Group"):
        if group.type == COMM_LOCATIONS:
            if group.paradigm in counted:
                breaches.add("two-comm-locations", f"{group} is the paradigm's second")
            counted.add(group.paradigm)
        if group.type == COMM_GROUP and group.paradigm not in counted:
            breaches.add("group-before-comm-locations", f"{group} has nothing to count through")
        if len(set(group.members)) < len(group.members):
            breaches.add("group-member-twice", str(group))
        check_members(definitions, group, breaches)


def check_members(definitions, group, breaches):
    by_index = group.type == COMM_GROUP and not group.flags & GLOBAL_MEMBERS
    if by_index:
        size = len(definitions.comm_locations(group.paradigm))
        for member in group.members:
            if member >= size:
                breaches.add("group-member", f"{member} of {size} locations in {group}")
        return
    kind = "Location" if group.type == COMM_GROUP else MEMBER_KINDS.get(group.type)
    for member in group.members if kind else ():
        if definitions.get(kind, member) is None:
            breaches.add(undefined(kind), f"{kind} {member} in {group}")


def check_duplicates(definitions, breaches):
    seen = {}
    for comm in definitions.by_kind["Comm"].values():
        group = definitions.get("Group", comm.group)
        # Those of MPI may have the same members: the program made each of them.
        if group and group.paradigm == MPI:
            continue
        key = (definitions.members[comm.self], group and group.paradigm, comm.parent)
        report_twin(seen, key, comm, "duplicate-comm", breaches)
    seen = {}
    for region in definitions.by_kind["Region"].values():
        texts = (region.name, region.canonical, region.description, region.file)
        key = (*map(definitions.text, texts), region.begin, region.role)
        report_twin(seen, key, region, "duplicate-region", breaches)


def report_twin(seen, key, record, kind, breaches):
    if key in seen:
        breaches.add(kind, f"{record} is as {seen[key]}")
    seen.setdefault(key, record)


class EventReferences:
    """Checks what events refer to; remembers what was found, as most events say the same."""

    def __init__(self, definitions, breaches):
        self.definitions, self.breaches = definitions, breaches
        self.known = set()

    def check(self, location, event):
        """Checks one event's fields and attributes."""
        time, kind, fields, attributes = event
        if kind not in EVENTS:
            self.breaches.add("unknown-event", "no event of ours", location, time, kind)
        for index, wanted in EVENTS.get(kind, ()):
            field = fields[index]
            for reference in field if isinstance(field, tuple) else (field,):
                if (wanted, reference) not in self.known:
                    self._look_up(wanted, reference, location, time, kind)
        if kind in PARAMETER_TYPES:
            self._check_parameter(location, event)
        elif kind == "Metric":
            self._check_metric(location, event)
        for attribute in attributes or ():
            self._check_attribute(location, event, attribute)

    def _look_up(self, wanted, reference, location, time, kind):
        if self.definitions.get(wanted, reference) is None:
            text = f"there is no {wanted} {reference}"
            self.breaches.add(undefined(wanted), text, location, time, kind)
        else:
            self.known.add((wanted, reference))

    def _check_parameter(self, location, event):
        time, kind, fields, _ = event
        parameter = self.definitions.get("Parameter", fields[0])
        if parameter and parameter.type != PARAMETER_TYPES[kind]:
            self.breaches.add("parameter-type", f"for {parameter}", location, time, kind)

    def _check_metric(self, location, event):
        time, kind, (reference, _, types, _), _ = event
        metric = self.definitions.get("Metric", reference)
        if metric and "metric_class" in metric._fields:
            metric = self.definitions.get("MetricClass", metric.metric_class)
        if metric is None:
            return
        members = [self.definitions.get("MetricMember", one) for one in metric.members]
        if types != tuple(member and member.value_type for member in members):
            self.breaches.add("metric-members", f"{types} for {metric}", location, time, kind)

    def _check_attribute(self, location, event, attribute):
        time, kind = event[:2]
        reference, value_type, value = attribute
        self._look_up("Attribute", reference, location, time, kind)
        definition = self.definitions.get("Attribute", reference)
        if definition and definition.type != value_type:
            text = f"type {value_type} for {definition}"
            self.breaches.add("attribute-type", text, location, time, kind)
        where = {"location": location, "time": time, "event": kind}
        check_value(self.definitions, value_type, value, self.breaches, "an attribute", **where)
