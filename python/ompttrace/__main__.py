"""The command itself: `python3 -m ompttrace info RUN`."""

import os
import sys

from . import command

try:
    program = command.program()
except command.Error as error:
    sys.exit(f"ompttrace: {error}")
os.execv(program, [program, *sys.argv[1:]])
