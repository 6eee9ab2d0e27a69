"""Checks the package against a recording of an MPI job of two ranks and the JSON of its report: JOB REPORT. Each assertion compares with
what the command prints by itself."""
import json
import sys
import tempfile
from pathlib import Path

import ompttrace

job = ompttrace.open(sys.argv[1])
with open(sys.argv[2]) as file:
    expected = json.load(file)

assert isinstance(job, ompttrace.Job) and list(job.ranks) == [0, 1]
assert [run.info["process"]["rank"] for run in job.ranks.values()] == [0, 1]
assert job.info["messages"]["matched"] > 0

report = job.report()
assert report.data == expected and (report.wall_ns, report.size) == (expected["wall_ns"], 2)
assert report.missing == () and len(report.findings) == len(expected["findings"])
for found, one in zip(report.findings, expected["findings"]):
    assert (found.kind, found.rank, list(found.gain_ns)) == (one["kind"], one["rank"], one["gain_ns"])

assert sorted(job.tables["runs"]["rank"].to_pylist()) == [0, 1]
calls = job.tables.polars("mpi_calls")
assert sorted(calls["rank"].unique()) == [0, 1] and len(calls) > 2
with tempfile.TemporaryDirectory() as folder:
    made = job.export("perfetto", Path(folder, "job.pftrace"))
    assert made.stat().st_size > 1000

assert ompttrace.compare(job, job).wall.change_ns == 0
try:
    job.report(region="judge.c:1")
    raise AssertionError("a job's report has no parts")
except ompttrace.Error as error:
    assert "\n" not in str(error), error
