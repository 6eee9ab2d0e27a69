"""Comparisons of runs, or of jobs, before and after a change (`ompttrace compare`)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .command import Option, call, check_schema, failure, options
from .runs import Recording

SCHEMA = 1
_SLOWER = 4

Given = Union[Recording, str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Spread:
    """A time of several runs: the median, the least and the most."""

    median_ns: int
    least_ns: int
    most_ns: int


@dataclass(frozen=True)
class Change:
    """A time before and after; `is_clear` is None where a side has fewer than three runs."""

    before: Optional[Spread]
    after: Optional[Spread]
    change_ns: int
    share: float
    is_clear: Optional[bool]


@dataclass(frozen=True)
class Comparison:
    """A comparison of two sides. `passes` and `verdict` answer `fail_above`, and are None without it."""

    wall: Change
    caveats: Tuple[str, ...]
    passes: Optional[bool]
    verdict: Optional[str]
    data: Dict[str, Any] = field(repr=False)


def compare(
    base: Union[Given, Sequence[Given]],
    new: Union[Given, Sequence[Given]],
    *,
    fail_above: Optional[str] = None,
    **window: Option,
) -> Comparison:
    """Compares runs, or jobs, with each other; medians of several runs a side.

    `fail_above="5%"` asks whether the new runs are slower by more than that; the answer is `Comparison.passes`. Options of a window are
    those of `Recording.report`.
    """
    arguments = ["--json", *options({"fail_above": fail_above, **window}), *_side(base), "--", *_side(new)]
    done = call("compare", *arguments, allowed=(0, _SLOWER) if fail_above else (0,))
    value: Dict[str, Any] = json.loads(done.stdout)
    check_schema(value, "compare", SCHEMA)
    return Comparison(
        wall=_change(value["wall"]),
        caveats=tuple(value["caveats"]),
        passes=done.returncode != _SLOWER if fail_above else None,
        verdict=failure(done.stderr) if fail_above else None,
        data=value,
    )


def _side(given: Union[Given, Sequence[Given]]) -> List[str]:
    """The paths of one side."""
    if isinstance(given, (Recording, str, os.PathLike)):
        given = [given]
    return [str(one.path) if isinstance(one, Recording) else os.fspath(one) for one in given]


def _change(value: Mapping[str, Any]) -> Change:
    return Change(
        before=_spread(value["before"]),
        after=_spread(value["after"]),
        change_ns=value["change_ns"],
        share=value["share"],
        is_clear=value["is_clear"],
    )


def _spread(value: Optional[Mapping[str, Any]]) -> Optional[Spread]:
    return None if value is None else Spread(value["median_ns"], value["least_ns"], value["most_ns"])
