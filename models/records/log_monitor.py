"""What anybody who reads the whole log can say of it: who was opened and never closed, and who
was closed more often than the rules allow."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from models.records.log_leaves import RUN_CLOSE, RUN_OPEN, RUN_VOID, leaf_name


@dataclass(slots=True)
class LogFindings:
    """Figures and faults of a log. `open` are runs that are at work, or were abandoned."""

    opened: int = 0
    closed: int = 0
    regraded: int = 0
    void: int = 0
    open: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    faults: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Opening:
    run: str
    attempt: int
    closes: list[str] = field(default_factory=list[str])
    void: bool = False


def monitored(leaves: Iterable[tuple[int, str]]) -> LogFindings:
    """Read a log, given as leaves with their positions in order."""
    found, openings = LogFindings(), dict[str, _Opening]()
    by_attempt: dict[tuple[str, int], _Opening] = {}
    for position, leaf in leaves:
        content = cast("dict[str, Any]", json.loads(leaf))
        kind = content.get("kind")
        if kind == RUN_OPEN:
            opening = _Opening(content["run"], content["attempt"])
            openings[leaf_name(leaf)] = opening
            by_attempt[opening.run, opening.attempt] = opening
            found.opened += 1
        elif kind == RUN_CLOSE:
            _close(found, openings, content, leaf, position)
        elif kind == RUN_VOID:
            found.void += 1
            ended = by_attempt.get((content["run"], content["attempt"]))
            if ended is not None:
                ended.void = True
    found.open = [
        (one.run, one.attempt) for one in openings.values() if not one.closes and not one.void
    ]
    return found


def _close(
    found: LogFindings,
    openings: dict[str, _Opening],
    content: dict[str, Any],
    leaf: str,
    position: int,
) -> None:
    opening, run = openings.get(content["opened"]), content["run"]
    found.closed += 1
    if opening is None or opening.run != run:
        found.faults.append(f"run {run} was closed at {position} without an opening before it")
        return
    if opening.void:
        found.faults.append(f"run {run} was closed at {position} after its attempt was void")
    if opening.closes:
        found.regraded += 1
        if content["earlier"] not in opening.closes:
            found.faults.append(f"run {run} was closed again at {position}, and names no earlier")
    elif content["earlier"]:
        found.faults.append(f"run {run} names at {position} an earlier closing that is not there")
    opening.closes.append(leaf_name(leaf))
