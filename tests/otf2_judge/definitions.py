"""The definitions of an archive by kind and reference, and what their fields are called.

`name>String` is a field that refers to a String; `?` says that it may be left undefined.
"""

import struct
from collections import namedtuple

UNDEFINED = (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)

FIELDS = {
    "ClockProperties": "resolution offset length realtime",
    "Paradigm": "self name>String paradigm_class",
    "ParadigmProperty": "owner>Paradigm name type value",
    "String": "self text",
    "Attribute": "self name>String description>String? type",
    "SystemTreeNode": "self name>String class_name>String parent>SystemTreeNode?",
    "SystemTreeNodeProperty": "owner>SystemTreeNode name>String type value",
    "SystemTreeNodeDomain": "owner>SystemTreeNode domain",
    "LocationGroup": "self name>String type parent>SystemTreeNode creator>LocationGroup?",
    "LocationGroupProperty": "owner>LocationGroup name>String type value",
    "Location": "self name>String type events group>LocationGroup",
    "LocationProperty": "owner>Location name>String type value",
    "Region": "self name>String canonical>String? description>String? role paradigm flags "
    "file>String? begin end",
    "Group": "self name>String? type paradigm flags size members",
    "MetricMember": "self name>String description>String? type mode value_type base exponent "
    "unit>String?",
    "MetricClass": "self size members>MetricMember occurrence recorder_kind",
    "MetricInstance": "self metric_class>MetricClass recorder>Location scope scope_ref",
    "MetricClassRecorder": "metric>MetricClass recorder>Location",
    "Comm": "self name>String? group>Group parent>Comm? flags",
    "InterComm": "self name>String? group_a>Group group_b>Group common>Comm? flags",
    "Parameter": "self name>String type",
    "RmaWin": "self name>String? comm>Comm flags",
    "IoParadigm": "self identification>String name>String paradigm_class flags size properties "
    "types values",
    "IoRegularFile": "self name>String scope>SystemTreeNode?",
    "IoHandle": "self name>String? file>IoFile? paradigm>IoParadigm flags comm>Comm? "
    "parent>IoHandle?",
    "IoPreCreatedHandleState": "handle>IoHandle mode status",
    "SourceCodeLocation": "self file>String line",
    "CallingContext": "self region>Region line>SourceCodeLocation? parent>CallingContext?",
    "InterruptGenerator": "self name>String? mode base exponent period",
}

# What the value of a property or attribute refers to, by its type.
VALUE_KINDS = {
    11: "String",
    12: "Attribute",
    13: "Location",
    14: "Region",
    15: "Group",
    16: "Metric",
    17: "Comm",
    18: "Parameter",
    19: "RmaWin",
    20: "SourceCodeLocation",
    21: "CallingContext",
    25: "LocationGroup",
}

# How a value lies in its 64 bits, by its type: what is left of them is whatever was there before.
SHAPES = {1: "B", 2: "H", 3: "I", 4: "Q", 5: "b", 6: "h", 7: "i", 8: "q", 9: "f", 10: "d", 13: "Q"}
STRING = 11

# What the members of a group refer to, by its type.
LOCATIONS, REGIONS, METRICS, COMM_LOCATIONS, COMM_GROUP, COMM_SELF = 1, 2, 3, 4, 5, 6
MEMBER_KINDS = {
    LOCATIONS: "Location",
    REGIONS: "Region",
    METRICS: "Metric",
    COMM_LOCATIONS: "Location",
}
GLOBAL_MEMBERS = 1
# The paradigm of MPI.
MPI = 4

RECORDS = {
    kind: namedtuple(kind, [field.split(">")[0] for field in fields.split()])
    for kind, fields in FIELDS.items()
}
REFERENCES = {
    kind: [
        (index, field.split(">")[1].rstrip("?"), field.endswith("?"))
        for index, field in enumerate(fields.split())
        if ">" in field
    ]
    for kind, fields in FIELDS.items()
}


def decoded(kind, bits):
    """The value of a property, attribute or metric. References have 32 bits, but for locations."""
    return struct.unpack_from("<" + SHAPES.get(kind, "I"), struct.pack("<Q", bits))[0]


class Definitions:
    """by_kind: {kind: {reference: record}}; in_order: records without a reference among them."""

    def __init__(self, records):
        self.by_kind = {kind: {} for kind in FIELDS}
        self.in_order = []
        self.twice = []
        self.unknown = []
        for kind, fields in records:
            if kind not in RECORDS:
                self.unknown.append(kind)
                continue
            record = RECORDS[kind]._make(fields)
            self.in_order.append(record)
            if "self" in record._fields:
                if record.self in self.by_kind[kind]:
                    self.twice.append(record)
                self.by_kind[kind].setdefault(record.self, record)
        clocks = self.all("ClockProperties")
        self.clock = clocks[0] if clocks else None
        self.members = {
            ref: self._members(comm.group) for ref, comm in self.by_kind["Comm"].items()
        }
        self.groups = {
            ref: (self._members(comm.group_a), self._members(comm.group_b))
            for ref, comm in self.by_kind["InterComm"].items()
        }
        self.process = self._processes()
        self.ranks = {
            comm: {location: rank for rank, location in enumerate(members)}
            for comm, members in self.members.items()
        }

    def all(self, kind):
        """Every record of a kind, in the order of the file."""
        return [record for record in self.in_order if type(record).__name__ == kind]

    def get(self, kind, reference):
        """The definition, or None. A Metric is a MetricClass or a MetricInstance, a Comm may be an InterComm."""
        if kind == "Metric":
            return self.get("MetricClass", reference) or self.get("MetricInstance", reference)
        if kind == "IoFile":
            kind = "IoRegularFile"
        if kind == "Comm" and reference not in self.by_kind["Comm"]:
            kind = "InterComm"
        return self.by_kind[kind].get(reference)

    def text(self, reference):
        """The text of a string; undefined ones are empty."""
        string = self.by_kind["String"].get(reference)
        return string.text if string else ""

    def name(self, kind, reference):
        """The name of a definition, or its number."""
        record = self.get(kind, reference)
        return self.text(record.name) if record else f"{kind} {reference}"

    def rank(self, comm, location):
        """A location's thread number in a team; None where it is no member."""
        return self.ranks.get(comm, {}).get(location)

    def peers(self, comm, location):
        """The locations that a location can name in a comm, by rank: of two groups those of the other one."""
        rank = self.process.get(location)
        if comm in self.groups:
            first, second = self.groups[comm]
            return second if rank in first else first
        record = self.by_kind["Comm"].get(comm)
        group = record and self.get("Group", record.group)
        return (rank,) if group and group.type == COMM_SELF else self.members.get(comm, ())

    def comm_locations(self, paradigm):
        """The locations that groups of a paradigm count through."""
        groups = self.by_kind["Group"].values()
        found = [one for one in groups if one.type == COMM_LOCATIONS and one.paradigm == paradigm]
        return found[0].members if found else ()

    def _processes(self):
        """The rank of each location: itself, or the one of its location group."""
        ranks = self.comm_locations(MPI)
        locations = self.by_kind["Location"]
        of_groups = {locations[rank].group: rank for rank in reversed(ranks) if rank in locations}
        return {
            reference: reference if reference in ranks else of_groups.get(location.group)
            for reference, location in locations.items()
        }

    def _members(self, number):
        """The locations of a group in the order of their ranks; None for a bad index."""
        group = self.get("Group", number)
        if group is None:
            return ()
        if group.type != COMM_GROUP or group.flags & GLOBAL_MEMBERS:
            return group.members
        locations = self.comm_locations(group.paradigm)
        return tuple(locations[one] if one < len(locations) else None for one in group.members)
