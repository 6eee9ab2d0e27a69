"""Prints the attributes of an archive's events whose names are those of a list, an event a line."""
import sys

import otf2

with otf2.reader.open(sys.argv[1]) as trace:
    for _, event in trace.events:
        found = [(key.name, value) for key, value in (event.attributes or {}).items()]
        found = [f"{name}={value}" for name, value in found if name.startswith(sys.argv[2] + "[")]
        if found:
            print(" ".join(sorted(found)))
