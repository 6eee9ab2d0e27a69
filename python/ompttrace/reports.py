"""Reports of runs and jobs as objects, from the JSON of `ompttrace report`.

Times are nanoseconds. `data` is the whole JSON, whose fields the schemas `report-4` and `report-job-1` describe.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from .command import check_schema

SCHEMA = 4
JOB_SCHEMA = 1


@dataclass(frozen=True)
class Gain:
    """Elapsed time that a run would take less with a cure, with its range; shares are of the wall time."""

    ns: int
    low_ns: int
    high_ns: int
    share: float
    low_share: float
    high_share: float


@dataclass(frozen=True)
class Evidence:
    """A figure that a finding rests on; `ompttrace report --explain NAME` explains its name."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True)
class Symptom:
    """A loss that a finding explains."""

    kind: str
    construct: Optional[int]
    lost_ns: int


@dataclass(frozen=True)
class Finding:
    """A cause of lost time in a run, with its cure and the expected gain."""

    kind: str
    cause: str
    location: str
    text: str
    cure: str
    disproof: str
    lost_ns: int
    share: float
    gain: Gain
    construct: Optional[int]
    also: Tuple[int, ...]
    evidence: Tuple[Evidence, ...]
    explains: Tuple[Symptom, ...]

    @staticmethod
    def of(value: Mapping[str, Any]) -> Finding:
        """The finding of a JSON object."""
        return Finding(
            kind=value["kind"],
            cause=value["cause"],
            location=value["location"],
            text=value["text"],
            cure=value["cure"],
            disproof=value["disproof"],
            lost_ns=value["lost_ns"],
            share=value["share"],
            gain=_of(Gain, value["gain"]),
            construct=value["construct"],
            also=tuple(value["also"]),
            evidence=tuple(_of(Evidence, one) for one in value["evidence"]),
            explains=tuple(_of(Symptom, one) for one in value["explains"]),
        )


@dataclass(frozen=True)
class JobFinding:
    """A cause of lost time in an MPI job; `gain_ns` is the least and the greatest time that the job would take less."""

    kind: str
    location: str
    rank: Optional[int]
    text: str
    cure: str
    lost_ns: int
    gain_ns: Tuple[int, int]
    explains: Tuple[str, ...]

    @staticmethod
    def of(value: Mapping[str, Any]) -> JobFinding:
        """The finding of a JSON object."""
        least, most = value["gain_ns"]
        return JobFinding(
            kind=value["kind"],
            location=value["location"],
            rank=value["rank"],
            text=value["text"],
            cure=value["cure"],
            lost_ns=value["lost_ns"],
            gain_ns=(least, most),
            explains=tuple(value["explains"]),
        )


@dataclass(frozen=True)
class Report:
    """Where the time of a run went: `times` by state, of all threads."""

    wall_ns: int
    findings: Tuple[Finding, ...]
    times: Dict[str, int]
    caveats: Tuple[str, ...]
    data: Dict[str, Any] = field(repr=False)

    @staticmethod
    def of(value: Dict[str, Any]) -> Report:
        """The report of a JSON object, whose version is checked."""
        check_schema(value, "report", SCHEMA)
        return Report(
            wall_ns=value["wall_ns"],
            findings=tuple(Finding.of(one) for one in value["findings"]),
            times=value["times"],
            caveats=tuple(value["caveats"]),
            data=value,
        )


@dataclass(frozen=True)
class JobReport:
    """Where the time of an MPI job went; `missing` are the ranks without a recording."""

    wall_ns: int
    size: int
    missing: Tuple[int, ...]
    findings: Tuple[JobFinding, ...]
    caveats: Tuple[str, ...]
    data: Dict[str, Any] = field(repr=False)

    @staticmethod
    def of(value: Dict[str, Any]) -> JobReport:
        """The report of a JSON object, whose version is checked."""
        check_schema(value, "report", JOB_SCHEMA)
        return JobReport(
            wall_ns=value["wall_ns"],
            size=value["size"],
            missing=tuple(value["missing"]),
            findings=tuple(JobFinding.of(one) for one in value["findings"]),
            caveats=tuple(value["caveats"]),
            data=value,
        )


def _of(kind: Any, value: Mapping[str, Any]) -> Any:
    """An object of the fields that it knows: later releases may add more."""
    return kind(**{name: value[name] for name in kind.__dataclass_fields__})
