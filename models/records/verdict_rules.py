"""Recomputes what a run is worth from the events of its record alone."""

from collections.abc import Iterable
from typing import Any, cast

from models.canonical import digest_of
from models.records.refusal import Reason, RecordRefused
from models.rules import RULES_VERSION
from models.run_outcome import ENDED_AS, JudgedFacts, RunOutcome, decide_outcome
from models.schemas.record_event import EventType, RecordEvent
from models.schemas.record_statement import Rules
from models.verdicts import CheckOutcome

RULES = Rules(
    version=RULES_VERSION,
    digest=digest_of(
        {
            "name": "gradefarm run verdict",
            "version": RULES_VERSION,
            "ended_as": {ending: outcome.value for ending, outcome in ENDED_AS.items()},
            "outcomes": [outcome.value for outcome in CheckOutcome],
        }
    ).removeprefix("sha256:"),
)
"""The rules of this code, by a digest over everything in them that is data."""
ENDS_THAT_PASS = ("exited", "suite", "")
"""How the program of a check ends that passes: by itself; or a suite tells, with evidence or
without."""


def recomputed(events: Iterable[RecordEvent]) -> RunOutcome:
    """What the run is worth, from its build, its checks, and what the agent stage left.

    Raises RecordRefused (check_outcome) for a check that can't have ended as it says.
    """
    built, changed = True, True
    planned: tuple[str, ...] = ()
    results: list[tuple[str, CheckOutcome]] = []
    for event in events:
        body = event.body
        if event.type == EventType.STAGE_CLOSE:
            changed = body.get("changed") is not False
        elif event.type == EventType.BUILD:
            built = body.get("ok") is True
        elif event.type == EventType.CHECK:
            results.append(_checked(event))
        elif event.type == EventType.VERDICT:
            planned = tuple(str(each) for each in cast("list[Any]", body.get("planned") or []))
    return decide_outcome(planned, JudgedFacts(built, tuple(results), changed))


def _checked(event: RecordEvent) -> tuple[str, CheckOutcome]:
    body = event.body
    said, ending, differs = body.get("outcome"), body.get("ending"), body.get("differs")
    name = str(body.get("id"))
    try:
        outcome = CheckOutcome(str(said))
    except ValueError:
        raise _impossible(event, f"{said!r} is no outcome") from None
    if outcome is CheckOutcome.PASSED and (ending not in ENDS_THAT_PASS or differs is not False):
        raise _impossible(event, f"it can't have passed, ended {ending!r}, differs {differs}")
    return name, outcome


def _impossible(event: RecordEvent, problem: str) -> RecordRefused:
    where = f"event {event.seq}, check {event.body.get('id')}"
    return RecordRefused(Reason.CHECK_OUTCOME, f"{where}: {problem}.")
