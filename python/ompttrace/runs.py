"""Recordings: those of one process, those of the ranks of an MPI job, and how a program is recorded."""

from __future__ import annotations

import html
import itertools
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import command
from .command import Error, Option, call, check_schema, options, read_json
from .reports import JobReport, Report
from .tables import Tables

INFO_SCHEMA = 1
_LAUNCHERS = {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun"}
_NUMBERS = itertools.count(1)


class Page:
    """The page of a report, which a notebook shows."""

    def __init__(self, text: str) -> None:
        self.text = text
        """The page as HTML; it needs no other file."""

    def _repr_html_(self) -> str:
        # A frame keeps the page's styles apart from those of the notebook.
        return f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="720" style="border: 0"></iframe>'


class Recording:
    """A recording: a `Run` of one process, or a `Job` of MPI ranks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        """The run folder, or the folder of the job."""
        self.status: Optional[int] = None
        """The exit status of the program, if `run` has recorded it."""
        self._info: Optional[Dict[str, Any]] = None
        self._tables: Optional[Tables] = None

    @property
    def info(self) -> Dict[str, Any]:
        """The JSON of `ompttrace info`, as the schemas `info-1` and `info-job-1` describe it."""
        if self._info is None:
            value = read_json("info", "--json", str(self.path))
            check_schema(value, "info", INFO_SCHEMA)
            self._info = value
        return self._info

    @property
    def tables(self) -> Tables:
        """Tables of where time went, made when they are first asked for."""
        if self._tables is None:
            self._tables = Tables(self._runs())
        return self._tables

    def export(self, format: str, path: Union[str, "os.PathLike[str]"], **settings: Option) -> Path:
        """Writes a trace or tables (`perfetto`, `chrome`, `otf2`, `parquet`, `folded`, `pprof`) to a path that must not exist.

        Further options are those of `ompttrace export`, with `_` for `-`: `from_="2s", to="3s", exact=True`.
        """
        call("export", str(self.path), "--quiet", f"--format={format}", f"--output={os.fspath(path)}", *options(settings))
        return Path(path)

    def show(self, **settings: Option) -> Page:
        """The page of `ompttrace report --html`, shown by a notebook; options are those of `ompttrace report`: `top=20, source=True`."""
        with tempfile.TemporaryDirectory(prefix="ompttrace-") as folder:
            page = Path(folder, "report.html")
            call("report", str(self.path), "--quiet", f"--html={page}", *options(settings))
            return Page(page.read_text(encoding="utf-8"))

    def _runs(self) -> List[Path]:
        return [self.path]

    def _report(self, settings: Mapping[str, Option]) -> Dict[str, Any]:
        return read_json("report", "--json", "--quiet", str(self.path), *options(settings))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"


class Run(Recording):
    """The recording of one process."""

    def report(self, **settings: Option) -> Report:
        """The report, of the whole run or of a window: `from_="2s", to="2.5s"`, `region="heat.c:104", instance=3`,
        `after_first_region=True`. Further options are those of `ompttrace report`."""
        return Report.of(self._report(settings))


class Job(Recording):
    """The recordings of the ranks of an MPI job."""

    @property
    def ranks(self) -> Dict[int, Run]:
        """The run of each rank that was recorded."""
        return {number: Run(path) for number, path in _ranks(self.path).items()}

    def report(self, **settings: Option) -> JobReport:
        """The report of the job: waits between ranks, findings, efficiencies."""
        return JobReport.of(self._report(settings))

    def _runs(self) -> List[Path]:
        return list(_ranks(self.path).values())


def _ranks(path: Path) -> Dict[int, Path]:
    """The run folders of a job by rank; empty for a run folder."""
    found = {}
    for entry in path.iterdir() if path.is_dir() else ():
        number = re.fullmatch(r"rank\.(\d+)", entry.name)
        if number and entry.is_dir():
            found[int(number[1])] = entry
    return dict(sorted(found.items()))


def open(path: Union[str, "os.PathLike[str]"]) -> Union[Run, Job]:
    """The recording in a run folder, or in the folder of an MPI job. Raises `Error` if there is none."""
    path = Path(path)
    found: Union[Run, Job] = Job(path) if _ranks(path) else Run(path)
    found.info
    return found


def run(
    program: Sequence[Union[str, "os.PathLike[str]"]],
    *,
    output: Union[None, str, "os.PathLike[str]"] = None,
    cwd: Union[None, str, "os.PathLike[str]"] = None,
    env: Optional[Mapping[str, str]] = None,
    check: bool = True,
    **settings: Option,
) -> Union[Run, Job]:
    """Runs a program, or a launcher of MPI programs, and records it.

    Settings are the options of `ompttrace run`, with `_` for `-`: `callstack="regions", sample=200, quiet=True`. No trace is made unless `format`
    names one. `output` is the run folder, in the working folder unless it is absolute. Raises `Error` if nothing was recorded, and, with
    `check`, if the program failed; its exit status is `Recording.status`.
    """
    words = [os.fspath(word) for word in program]
    if isinstance(program, (str, bytes)) or not words:
        raise Error("run: give the program and its arguments as a list: run([\"./heat\", \"100\"])")
    name = Path(words[0]).name
    folder = Path(cwd or ".", output or f"{name}.{os.getpid()}-{next(_NUMBERS)}.ompttrace").absolute()
    if folder.exists():
        raise Error(f"run: {folder} exists already")
    pattern = str(folder).replace("%", "%%")
    if name.split(".")[0] in _LAUNCHERS:
        pattern += "/rank.%r"
    given = {"format": "recording", **settings}
    arguments = [command.program(), "run", *options(given), f"--output={pattern}", "--", *words]
    status, said = _passing_on(arguments, cwd, env)
    if not folder.is_dir():
        raise Error(command.failure(said) or f"{name} ended with status {status}, and nothing was recorded", status or 1)
    recording = open(folder)
    recording.status = status
    if check and status != 0:
        raise Error(f"{name} ended with status {status}; its recording is {folder}", status)
    return recording


def _passing_on(
    arguments: List[str], cwd: Union[None, str, "os.PathLike[str]"], env: Optional[Mapping[str, str]]
) -> Tuple[int, str]:
    """Runs a command whose stderr appears in that of this process, line by line; returns its status, and the end of that text."""
    said: List[str] = []

    def pass_on() -> None:
        for line in child.stderr or ():
            sys.stderr.write(line)
            said.append(line)
            del said[:-100]

    child = subprocess.Popen(
        arguments, cwd=cwd, env=env, stderr=subprocess.PIPE, encoding="utf-8", errors="backslashreplace"
    )
    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    try:
        status = child.wait()
    except BaseException:
        child.terminate()
        child.wait()
        raise
    # A process that the program left running may keep the pipe open.
    reader.join(timeout=2)
    return status, "".join(said)
