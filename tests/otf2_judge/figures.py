"""Counts what an archive holds, for comparison with what its recording held."""

from collections import Counter, defaultdict

import _otf2

from definitions import STRING, UNDEFINED, decoded


# Names that libotf2 got after 3.0.
NEWER = {
    _otf2.RegionRole: {39: "CANCEL", 40: "KERNEL"},
    _otf2.Paradigm: {25: "OPENMP_TARGET"},
}


def named(enumerator, value):
    """The library's name of a value, or its number where it has none."""
    names = {**enumerator._names, **NEWER.get(enumerator, {})}
    return names.get(value, str(value))


# What events move: names of sums, and where each has the bytes.
MOVED = {
    "RmaPut": [("RmaPut", 2)],
    "RmaGet": [("RmaGet", 2)],
    "RmaAtomic": [("RmaAtomic sent", 3), ("RmaAtomic received", 4)],
    "IoOperationBegin": [("IoOperationBegin", 3)],
    "IoOperationComplete": [("IoOperationComplete", 1)],
}


class Figures:
    """The sums under way."""

    def __init__(self, definitions):
        self.definitions = definitions
        self.events = Counter()
        self.entries, self.active = Counter(), Counter()
        self.forks, self.forked = 0, 0
        self.locks = defaultdict(Counter)
        self.parameters = defaultdict(Counter)
        self.attributes = Counter()
        self.metrics = defaultdict(lambda: [0, 0])
        self.moved = Counter()

    def event(self, kind, fields, attributes):
        """Any event."""
        self.events[kind] += 1
        for reference, _, _ in attributes or ():
            self.attributes[reference] += 1
        if kind == "Metric":
            self._metric(*fields)
        elif kind in MOVED:
            self._moved(kind, fields)
        elif kind.startswith("Parameter"):
            value = self.definitions.text(fields[1]) if kind == "ParameterString" else None
            self.parameters[fields[0]][value] += 1
        elif kind in ("ThreadAcquireLock", "ThreadReleaseLock"):
            self.locks[fields[:2]][kind] += 1

    def _metric(self, reference, _size, types, values):
        metric = self.definitions.get("Metric", reference)
        if metric and "metric_class" in metric._fields:
            metric = self.definitions.get("MetricClass", metric.metric_class)
        for member, kind, bits in zip(metric.members if metric else (), types, values):
            name = self.definitions.name("MetricMember", member)
            self.metrics[name] = [self.metrics[name][0] + 1, decoded(kind, bits)]

    def _moved(self, kind, fields):
        """Bytes, of which an atomic operation has those of both ways."""
        for name, index in MOVED[kind]:
            self.moved[name] += fields[index]

    def entered(self, region):
        """Enter."""
        self.entries[region] += 1

    def left(self, region, ticks):
        """Leave, after so much active time."""
        self.active[region] += ticks

    def joined(self, ticks):
        """ThreadJoin, so long after its fork."""
        self.forks += 1
        self.forked += ticks

    def table(self, properties, markers):
        """Everything, as README.md describes it."""
        get = self.definitions
        return {
            "events": dict(self.events),
            "regions": [self._region(region) for region in get.by_kind["Region"].values()],
            "fork_join": {"count": self.forks, "ns": self._ns(self.forked)},
            "comms": [self._comm(comm) for comm in get.by_kind["Comm"].values()]
            + [self._inter_comm(comm) for comm in get.by_kind["InterComm"].values()],
            "locks": [
                {
                    "lock": lock,
                    "acquires": counts["ThreadAcquireLock"],
                    "releases": counts["ThreadReleaseLock"],
                }
                for (_, lock), counts in sorted(self.locks.items())
            ],
            "markers": [
                {"group": group, "category": category, "count": count}
                for (group, category), count in markers.items()
            ],
            "metrics": {
                name: {"count": count, "last": last} for name, (count, last) in self.metrics.items()
            },
            "parameters": {
                get.name("Parameter", reference): {
                    "count": counts.total(),
                    "texts": {text: count for text, count in counts.items() if text is not None},
                }
                for reference, counts in self.parameters.items()
            },
            "attributes": {
                get.name("Attribute", reference): count
                for reference, count in self.attributes.items()
            },
            "moved": dict(self.moved),
            "files": [get.text(one.name) for one in get.by_kind["IoRegularFile"].values()],
            "locations": [self._location(one) for one in get.by_kind["Location"].values()],
            "properties": self._properties(properties),
        }

    def _ns(self, ticks):
        resolution = self.definitions.clock.resolution if self.definitions.clock else 10**9
        # Longer than any run is cut to what readers of the JSON can hold.
        return min(ticks * 10**9 // resolution, 2**63 - 1)

    def _region(self, region):
        text = self.definitions.text
        return {
            "name": text(region.name),
            "canonical_name": text(region.canonical),
            "role": named(_otf2.RegionRole, region.role),
            "paradigm": named(_otf2.Paradigm, region.paradigm),
            "file": text(region.file),
            "line": region.begin,
            "enters": self.entries[region.self],
            "active_ns": self._ns(self.active[region.self]),
        }

    def _comm(self, comm):
        group = self.definitions.get("Group", comm.group)
        return {
            "id": comm.self,
            "name": self.definitions.text(comm.name),
            "paradigm": group.paradigm if group else None,
            "parent": None if comm.parent in UNDEFINED else comm.parent,
            "members": self.definitions.members[comm.self],
        }

    def _inter_comm(self, comm):
        """Its members are those of both groups."""
        first, second = self.definitions.groups[comm.self]
        group = self.definitions.get("Group", comm.group_a)
        return {
            "id": comm.self,
            "name": self.definitions.text(comm.name),
            "paradigm": group.paradigm if group else None,
            "parent": None,
            "members": first + second,
        }

    def _location(self, location):
        return {
            "id": location.self,
            "name": self.definitions.text(location.name),
            "type": named(_otf2.LocationType, location.type),
            "group": self.definitions.name("LocationGroup", location.group),
            "events": location.events,
        }

    def _properties(self, properties):
        """Of the archive, and of every definition that has some."""
        result = [
            {"of": "archive", "name": name, "value": value or ""}
            for name, value in properties.items()
        ]
        for record in self.definitions.in_order:
            owner = type(record).__name__
            if not owner.endswith("Property"):
                continue
            name = self.definitions.text(record.name)
            if owner == "ParadigmProperty":
                name = named(_otf2.ParadigmProperty, record.name)
            value = decoded(record.type, record.value)
            text = self.definitions.text(value) if record.type == STRING else str(value)
            of = f"{owner.removesuffix('Property')} {record.owner}"
            result.append({"of": of, "name": name, "value": text})
        return result
