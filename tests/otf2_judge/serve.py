#!/usr/bin/python3
"""serve.py SECONDS: check.py for one archive after the other, without a new Python for each.

A line on standard input is a JSON list, the words of a command line of check.py. The answer is a line of JSON: the exit
status, negative if a signal ended it, and all that it printed. Each archive is read in a process of its own, since
libotf2 may crash or hang on a torn file; after SECONDS it is ended by SIGALRM.
"""

import json
import os
import signal
import sys
import tempfile

import check


def main():
    """Answers until standard input ends."""
    limit = int(sys.argv[1])
    for line in sys.stdin:
        status, printed = answer(json.loads(line), limit)
        print(json.dumps({"status": status, "printed": printed}), flush=True)


def answer(words, limit):
    """Exit status and output of check.py with these words."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            checked(words, limit, output)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode("utf-8", "replace")


def checked(words, limit, output):
    """Runs check.py in this process, which ends with its status."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limit)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(output.fileno(), stream.fileno())
    status = 3
    try:
        status = check.main(words)
    except SystemExit as end:
        status = end.code
    except BaseException:  # As Python itself would report it.
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
