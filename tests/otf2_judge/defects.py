#!/usr/bin/python3
"""defects.py FOLDER: writes FOLDER/good, and beside it one archive for each fault, named after it.

Prints a line of JSON for each: its name and exactly the kinds of breach that the judge must report.
"""

import json
import os
import sys

import faults_in_definitions  # noqa: F401  These register what they hold.
import faults_in_messages  # noqa: F401
import faults_in_objects  # noqa: F401
import faults_in_tasks  # noqa: F401
import faults_in_teams  # noqa: F401
from good import good
from kinds import KINDS
from spoiling import DEFECTS


def main():
    """Writes them all."""
    unproven = set(KINDS) - {kind for _, kinds, _ in DEFECTS for kind in kinds}
    if unproven:
        raise ValueError(f"no archive has {sorted(unproven)}")
    folder = sys.argv[1]
    for name, kinds, spoil in [("good", [], lambda _: None), *DEFECTS]:
        archive = good()
        archive.spoil = lambda _: None
        spoil(archive)
        path = os.path.join(folder, name)
        archive.write(path)
        archive.spoil(path)
        print(json.dumps({"name": name, "kinds": sorted(kinds)}))


if __name__ == "__main__":
    main()
