"""Calls of the command `ompttrace`: the one place that starts it and turns its failures into errors."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
from typing import Any, Dict, List, Mapping, Sequence, Union

Option = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[str]]
"""Value of an option of the command: True is the option alone, a sequence is a list with commas, None and False leave it out."""


class Error(Exception):
    """A failure, as the line of the command that names it."""

    def __init__(self, line: str, status: int = 1) -> None:
        super().__init__(line)
        self.status = status
        """The exit status of the command, or of the program that it ran."""


def program() -> str:
    """The path of the command: what OMPTTRACE names, else that of the installed wheel, else the first one in PATH."""
    named = os.environ.get("OMPTTRACE")
    if named:
        found = shutil.which(named)
        if found is None:
            raise Error(f"OMPTTRACE: {named}: there is no such program")
        return found
    found = _of_wheel() or shutil.which("ompttrace")
    if found is None:
        raise Error("there is no command ompttrace: install the wheel, or name the program in OMPTTRACE or PATH")
    return found


def _of_wheel() -> str | None:
    """The command that was installed together with this package, wherever the installer put it."""
    try:
        files = importlib.metadata.files("ompttrace") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == "ompttrace" and file.parent.name == "bin":
            return shutil.which(os.path.normpath(file.locate()))
    return None


def options(given: Mapping[str, Option]) -> List[str]:
    """Options as arguments of the command: `after_first_region=True` is `--after-first-region`, `from_="2s"` is `--from=2s`."""
    arguments = []
    for name, value in given.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(option)
        elif isinstance(value, (int, float, str, os.PathLike)):
            arguments.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
        else:
            arguments.append(f"{option}={','.join(value)}")
    return arguments


def call(name: str, *arguments: str, allowed: Sequence[int] = (0,)) -> "subprocess.CompletedProcess[str]":
    """Runs a subcommand to its end; raises `Error` for an exit status that is not allowed."""
    done = subprocess.run(
        [program(), name, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
    )
    if done.returncode not in allowed:
        raise Error(failure(done.stderr) or f"ompttrace {name} ended with status {done.returncode}", done.returncode)
    return done


def failure(text: str) -> str:
    """The line of the command's messages that names a failure, without the command's name; empty if there is none."""
    lines = text.splitlines()
    for line in lines:
        if line.startswith("error: "):
            return line[len("error: ") :]
    own = [line[len("ompttrace: ") :] for line in lines if line.startswith("ompttrace: ")]
    return own[-1] if own else ""


def read_json(name: str, *arguments: str, allowed: Sequence[int] = (0,)) -> Dict[str, Any]:
    """The JSON object that a subcommand prints."""
    value = json.loads(call(name, *arguments, allowed=allowed).stdout)
    if not isinstance(value, dict):
        raise Error(f"ompttrace {name} printed no JSON object")
    return value


def check_schema(value: Mapping[str, Any], name: str, known: int) -> None:
    """Raises `Error` if JSON has another version than the one that this package reads."""
    found = value.get("schema")
    if found != known:
        raise Error(f"ompttrace {name} printed version {found} of its JSON, and this package reads version {known}: use one release of both")
