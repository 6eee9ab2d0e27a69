"""Checks markers: each of a defined kind, in a defined scope, inside the clock's range."""

from references import undefined

SCOPES = {1: "Location", 2: "LocationGroup", 3: "SystemTreeNode", 4: "Group", 5: "Comm"}


def check_markers(records, definitions, breaches):
    """Gives {(group, category): count}."""
    kinds = {fields[0]: fields[1:3] for kind, fields in records if kind == "DefMarker"}
    counts = {names: 0 for names in kinds.values()}
    for kind, fields in records:
        if kind != "Marker":
            continue
        time, duration, reference, scope, scope_reference, text = fields
        if reference in kinds:
            counts[kinds[reference]] += 1
        else:
            breaches.add("undefined-marker", f"marker {reference} ({text})", time=time)
        wanted = SCOPES.get(scope)
        if wanted and definitions.get(wanted, scope_reference) is None:
            breaches.add(undefined(wanted), f"{wanted} {scope_reference} of a marker", time=time)
        clock = definitions.clock
        if clock and not clock.offset <= time <= time + duration <= clock.offset + clock.length:
            breaches.add("time-outside-clock", f"marker of {time} to {time + duration}", time=time)
    return counts
