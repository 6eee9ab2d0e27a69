#!/usr/bin/python3
"""other_reader.py ARCHIVE/traces.otf2: counts the events of each kind with the high-level reader of
whatever otf2 module Python finds first, and prints that as JSON beside the library's version.

It shares nothing with check.py, which calls libotf2 3.0 record by record: run with another version
of the library, it is a second opinion on the bytes.
"""

import json
import sys
from collections import Counter

import _otf2
import otf2


def main():
    """Reads and prints."""
    counts = Counter()
    with otf2.reader.open(sys.argv[1]) as trace:
        for _, event in trace.events:
            counts[type(event).__name__] += 1
    print(json.dumps({"version": _otf2.VERSION, "events": counts}))


if __name__ == "__main__":
    main()
