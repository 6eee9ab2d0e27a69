"""Checks the package against a recording of one process and the JSON of its report: RUN REPORT. Each assertion compares with what the
command prints by itself."""
import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import ompttrace

run = ompttrace.open(sys.argv[1])
with open(sys.argv[2]) as file:
    expected = json.load(file)


def refused(call, *words):
    """The call raises an error of one line with these words."""
    try:
        value = call()
    except ompttrace.Error as error:
        line = str(error)
        assert "\n" not in line and all(word in line for word in words), line
        return
    raise AssertionError(f"no error, but {value!r}")


report = run.report()
assert report.data == expected and report.wall_ns == expected["wall_ns"]
assert len(report.findings) == len(expected["findings"]) > 0
for found, one in zip(report.findings, expected["findings"]):
    assert (found.kind, found.text, found.lost_ns) == (one["kind"], one["text"], one["lost_ns"])
    assert found.gain.ns == one["gain"]["ns"] and len(found.evidence) == len(one["evidence"])
first = run.report(from_="0ns", to=f"{report.wall_ns // 2}ns")
assert 0 < sum(first.times.values()) < sum(report.times.values())

whole = sum(report.times.values())
assert whole == sum(run.tables["rollup"]["self_ns"].to_pylist()) == run.tables.polars("rollup")["self_ns"].sum()
assert run.tables["runs"]["rank"].to_pylist() == [0] and list(run.tables.polars("runs")["rank"]) == [0]
assert run.info["process"]["executable"] and run.info["schema"] == 1

with tempfile.TemporaryDirectory() as folder:
    made = run.export("chrome", Path(folder, "trace.json"))
    assert len(json.loads(made.read_text())) > 10
    refused(lambda: run.export("chrome", made), "trace.json")
    # A command of a later release, whose JSON has another meaning.
    later = Path(folder, "later")
    later.write_text("#!/bin/sh\necho '{\"schema\": 99}'\n")
    later.chmod(later.stat().st_mode | stat.S_IXUSR)
    command = os.environ["OMPTTRACE"]
    os.environ["OMPTTRACE"] = str(later)
    refused(run.report, "version 99", "version 4")
    os.environ["OMPTTRACE"] = f"{folder}/none"
    refused(run.report, "OMPTTRACE", "no such program")
    os.environ["OMPTTRACE"] = command

same = ompttrace.compare(run, [run.path], fail_above="5%")
assert same.passes and same.wall.change_ns == 0 and same.wall.before.median_ns == report.wall_ns, same
assert same.verdict.startswith("passed") and ompttrace.compare(run, run).passes is None

refused(lambda: run.report(from_="3x"), "3x", "--from")
refused(lambda: run.report(nonsense=True), "--nonsense")
refused(lambda: ompttrace.open("/nonexistent"), "/nonexistent")
refused(lambda: ompttrace.run(["true"], quiet=False), "no recording")
refused(lambda: ompttrace.run("true"), "list")
sys.modules["pandas"] = None
refused(lambda: run.tables.pandas("runs"), "pandas", "pip install")

printed = subprocess.run([sys.executable, "-m", "ompttrace", "--version"], check=True, capture_output=True, text=True)
assert printed.stdout.startswith("ompttrace "), printed
