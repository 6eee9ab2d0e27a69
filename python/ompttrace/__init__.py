"""Record OpenMP programs with ompttrace and read what it found, from scripts and notebooks.

    import ompttrace

    run = ompttrace.run(["./heat", "100"])
    for finding in run.report().findings:
        print(finding.text, finding.gain.share)
    run.tables.polars("rollup")
    run.show()

The package calls the command `ompttrace` and reads the JSON and the Parquet files that it writes. Errors of the command are raised as
`Error` with the command's own line.
"""

from .command import Error
from .comparison import Change, Comparison, Spread, compare
from .reports import Evidence, Finding, Gain, JobFinding, JobReport, Report, Symptom
from .runs import Job, Page, Recording, Run, open, run
from .tables import Tables

__all__ = [
    "Change",
    "Comparison",
    "Error",
    "Evidence",
    "Finding",
    "Gain",
    "Job",
    "JobFinding",
    "JobReport",
    "Page",
    "Recording",
    "Report",
    "Run",
    "Spread",
    "Symptom",
    "Tables",
    "compare",
    "open",
    "run",
]
