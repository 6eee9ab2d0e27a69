#!/usr/bin/python3
"""check.py [--json OUT] ARCHIVE/traces.otf2: reports every kind of fault in an archive.

Exit status: 0 sound, 1 faults (printed), 2 unreadable. README.md says what is checked.
"""

import argparse
import json
import sys

import _otf2

from breaches import Breaches
from definitions import Definitions
from figures import Figures
from markers import check_markers
from reading import Archive
from references import check_definitions
from walk import Walk


def main(words=None):
    """Gives the exit status, of these words instead of the command line's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="OUT", help="write breaches and statistics there")
    parser.add_argument("archive", metavar="ARCHIVE/traces.otf2")
    arguments = parser.parse_args(words)
    try:
        archive = Archive(arguments.archive)
    except (_otf2.Error, RuntimeError, UnicodeDecodeError) as error:
        print(f"{arguments.archive} cannot be read: {error}", file=sys.stderr)
        return 2
    breaches, statistics = judge(archive)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"breaches": breaches.table(), "statistics": statistics}, file)
    for line in breaches.lines():
        print(line)
    return 1 if breaches.counts else 0


def judge(archive):
    """The breaches and the statistics of an archive that was read."""
    breaches = Breaches()
    definitions = Definitions(archive.definitions)
    figures = Figures(definitions)
    check_definitions(definitions, breaches)
    markers = check_markers(archive.markers, definitions, breaches)
    unfinished = int(archive.properties.get("OMPTTRACE::UNFINISHED_TASKS", 0))
    Walk(archive, definitions, breaches, figures).run(unfinished)
    return breaches, figures.table(archive.properties, markers)


if __name__ == "__main__":
    sys.exit(main())
