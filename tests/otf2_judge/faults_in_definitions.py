"""Faults in definitions, in what refers to them, in times and in counts."""

from good import LOOP, NOTE, OUTER, REGIONS, SCHEDULE, WORK
from good_messages import FREE_COMM, FREE_GROUP
from making import NONE, OPENMP, STRING, property_value, restamp
from spoiling import END, defect, definition, insert, recount, redefine, replace


@defect("event-count")
def event_count_too_large(archive):
    fields = list(definition(archive, "Location", 2))
    fields[3] += 1
    redefine(archive, "Location", 2, fields)


@defect("event-count")
def event_count_too_small(archive):
    fields = list(definition(archive, "Location", 2))
    fields[3] -= 1
    redefine(archive, "Location", 2, fields)


@defect("time-outside-clock")
def time_after_the_range_of_the_clock(archive):
    redefine(archive, "ClockProperties", 10**9, (10**9, 100, 599, 17 * 10**17))


@defect("time-outside-clock")
def time_before_the_range_of_the_clock(archive):
    redefine(archive, "ClockProperties", 10**9, (10**9, 101, 899, 17 * 10**17))


@defect("time-outside-clock")
def marker_outside_the_range_of_the_clock(archive):
    archive.markers.append(("Marker", (950, 60, 0, 0, 0, "late")))


@defect("flush-end")
def flush_ends_before_it_begins(archive):
    replace(archive, 2, (600, "BufferFlush"), 600, "BufferFlush", 590)


@defect("time-goes-back")
def time_goes_back(archive):
    archive.spoil = lambda folder: restamp(folder, 3, 228, 223)


@defect("no-realtime")
def realtime_not_set(archive):
    redefine(archive, "ClockProperties", 10**9, (10**9, 100, 900, 2**64 - 1))


@defect("no-clock")
def clock_missing(archive):
    archive.definitions = [one for one in archive.definitions if one[0] != "ClockProperties"]


@defect("undefined-region")
def region_undefined(archive):
    insert(archive, 2, END, "Enter", 99)
    insert(archive, 2, END, "Leave", 99)


@defect("undefined-comm")
def comm_undefined(archive):
    insert(archive, 2, END, "ThreadTeamBegin", 99)
    insert(archive, 2, END, "ThreadTeamEnd", 99)


@defect("undefined-string")
def string_of_a_region_undefined(archive):
    fields = list(definition(archive, "Region", WORK))
    fields[1] = 999
    redefine(archive, "Region", WORK, fields)


@defect("undefined-string")
def string_of_an_event_undefined(archive):
    insert(archive, 2, END, "ParameterString", SCHEDULE, 999)


@defect("undefined-string")
def string_of_a_property_undefined(archive):
    archive.define("LocationProperty", 1, archive.string("number"), STRING, property_value(999))


@defect("undefined-string")
def string_of_an_attribute_undefined(archive):
    archive.event(2, 611, "BufferFlush", 612, attributes=[(NOTE, 999, STRING)])
    recount(archive, 2)


@defect("undefined-parameter")
def parameter_undefined(archive):
    insert(archive, 2, END, "ParameterInt", 99, 1)


@defect("parameter-type")
def parameter_of_another_type(archive):
    insert(archive, 2, END, "ParameterInt", SCHEDULE, 1)


@defect("undefined-attribute")
def attribute_undefined(archive):
    archive.event(2, 611, "BufferFlush", 612, attributes=[(99, 1)])
    recount(archive, 2)


@defect("attribute-type")
def attribute_of_another_type(archive):
    fields = list(definition(archive, "Attribute", 0))
    redefine(archive, "Attribute", 0, fields[:3] + [8])


@defect("undefined-metric")
def metric_undefined(archive):
    insert(archive, 2, END, "Metric", 99, [], [])


@defect("undefined-metric-class")
def metric_class_undefined(archive):
    redefine(archive, "MetricInstance", 1, (1, 7, 0, 1, 0))


@defect("undefined-metric-member")
def metric_member_undefined(archive):
    archive.define("MetricClass", 2, [9], 2, 1)


@defect("metric-members")
def metric_without_values(archive):
    insert(archive, 2, END, "Metric", 1, [], [])


@defect("undefined-rma-win")
def window_undefined(archive):
    insert(archive, 3, 230, "RmaGet", 99, 0, 1, 2)


@defect("undefined-calling-context")
def caller_undefined(archive):
    archive.define("CallingContext", 0, 0, 0xFFFFFFFF, 99)


@defect("undefined-source-code-location")
def line_of_a_calling_context_undefined(archive):
    archive.define("CallingContext", 0, 0, 99, 0xFFFFFFFF)


@defect("undefined-location-group")
def location_group_undefined(archive):
    redefine(archive, "Location", 3, definition(archive, "Location", 3)[:4] + (99,))


@defect("undefined-system-tree-node")
def system_tree_node_undefined(archive):
    fields = list(definition(archive, "LocationGroup", 1))
    fields[3] = 99
    redefine(archive, "LocationGroup", 1, fields)


@defect("undefined-paradigm")
def paradigm_undefined(archive):
    archive.define("ParadigmProperty", 7, 2, 4, property_value(1))


@defect("undefined-group")
def group_undefined(archive):
    archive.define("Comm", FREE_COMM, archive.string(""), 99, NONE, 0)


@defect("undefined-location")
def location_of_a_group_undefined(archive):
    redefine(archive, "Group", 4, (4, archive.string(""), 4, 25, 0, [0, 99]))


@defect("group-member")
def group_member_beyond_the_locations(archive):
    redefine(archive, "Group", 5, (5, archive.string(""), 5, 25, 0, [0, 7]))


@defect("group-member-twice")
def group_member_twice(archive):
    redefine(archive, "Group", 5, (5, archive.string(""), 5, 25, 0, [1, 1]))


@defect("group-before-comm-locations")
def group_before_the_locations(archive):
    record = ("Group", definition(archive, "Group", 4))
    archive.definitions.remove(record)
    archive.definitions.append(record)


@defect("two-comm-locations")
def two_lists_of_locations(archive):
    archive.define("Group", FREE_GROUP, archive.string(""), 4, OPENMP, 0, [0, 1, 2])


@defect("undefined-marker")
def marker_undefined(archive):
    archive.markers.append(("Marker", (450, 0, 9, 0, 0, "?")))


@defect("undefined-location")
def location_of_a_marker_undefined(archive):
    archive.markers.append(("Marker", (450, 0, 0, 1, 99, "?")))


@defect("unknown-definition")
def definition_of_an_unknown_kind(archive):
    archive.define("CartDimension", 0, archive.string("x"), 3, 0)


@defect("unknown-event")
def event_of_an_unknown_kind(archive):
    insert(archive, 2, END, "OmpJoin")


@defect("duplicate-comm")
def comm_twice(archive):
    archive.define("Comm", FREE_COMM, archive.string(""), 3, OUTER, 0)


@defect("duplicate-comm")
def comm_twice_by_twin_groups(archive):
    none = archive.string("")
    archive.define("Group", FREE_GROUP, none, 5, OPENMP, 0, [1, 2])
    archive.define("Comm", FREE_COMM, none, FREE_GROUP, OUTER, 0)


@defect("duplicate-region")
def region_twice(archive):
    archive.define("Region", len(REGIONS), *definition(archive, "Region", LOOP)[1:])


@defect("defined-twice")
def one_reference_for_two_regions(archive):
    archive.define("Region", *definition(archive, "Region", LOOP))
