"""Recomputes what a run is worth from the events of its record alone."""

from collections import Counter
from itertools import product

from models.canonical import digest_of
from models.records.decisive_events import DEMANDED, DecisiveEvents
from models.records.refusal import Reason, RecordRefused
from models.rules import RULES_VERSION
from models.run_outcome import ENDED_AS, JudgedFacts, RunOutcome, decide_outcome
from models.schemas.record_bodies import Built, Checked
from models.schemas.record_statement import Rules
from models.verdicts import CheckOutcome

ENDS_THAT_PASS = ("exited", "suite", "")
"""How the program of a check ends that passes: by itself; or a suite tells, with evidence or
without."""


def recomputed(decisive: DecisiveEvents) -> RunOutcome:
    """What the run is worth, from its build, its checks, and what the agent stage left.

    Raises RecordRefused: check_outcome for a build or check that can't have ended as it says, plan
    where other checks were asked than the universe plans, each once and in order.
    """
    if not _built_so(decisive.build):
        raise RecordRefused(Reason.CHECK_OUTCOME, "the build can't have ended as it says.")
    for seq, check in decisive.checks:
        if not _can_be(check.outcome, check.ending, differs=check.differs):
            raise _impossible(seq, check)
    planned = tuple(check for check, _ in decisive.verdict.universe.plan)
    results = tuple((check.id, check.outcome) for _, check in decisive.checks)
    _refuse_unplanned(planned, tuple(check for check, _ in results))
    return decide_outcome(planned, JudgedFacts(decisive.build.ok, results, decisive.stage.changed))


def _built_so(build: Built) -> bool:
    return build.ok is (build.outcome is CheckOutcome.PASSED) and (build.needed or build.ok)


def _can_be(outcome: CheckOutcome, ending: str, *, differs: bool) -> bool:
    return outcome is not CheckOutcome.PASSED or (ending in ENDS_THAT_PASS and not differs)


def _impossible(seq: int, check: Checked) -> RecordRefused:
    return RecordRefused(
        Reason.CHECK_OUTCOME,
        f"event {seq}, check {check.id!r}: it can't have passed, ended {check.ending!r}, "
        f"differs {check.differs}.",
    )


def _is_planned(planned: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    return asked == planned and len(set(planned)) == len(planned)


def _refuse_unplanned(planned: tuple[str, ...], asked: tuple[str, ...]) -> None:
    if _is_planned(planned, asked):
        return
    times = Counter(asked)
    told = {
        "planned twice": [one for one, count in Counter(planned).items() if count > 1],
        "asked twice": [one for one, count in times.items() if count > 1],
        "never asked": [one for one in planned if one not in times],
        "not planned": [one for one in times if one not in planned],
    }
    named = "; ".join(f"{what}: {', '.join(some)}" for what, some in told.items() if some)
    raise RecordRefused(
        Reason.PLAN,
        f"the checks are not those of the plan, each once: {named or 'another order'}.",
    )


def _cases() -> list[object]:
    """What the rules say of every kind of fact."""
    endings = (*ENDS_THAT_PASS, *ENDED_AS, "another")
    allowed = [
        [outcome, ending, differs, _can_be(outcome, ending, differs=differs)]
        for outcome, ending, differs in product(CheckOutcome, endings, (False, True))
    ]
    decided: list[object] = []
    for built, changed, first, second in product(
        (False, True), (False, True), CheckOutcome, CheckOutcome
    ):
        worth = decide_outcome(
            ("a", "b"), JudgedFacts(built, (("a", first), ("b", second)), changed)
        )
        decided.append([built, changed, first, second, worth.verdict, worth.undelivered])
    built = [
        [outcome, ok, needed, _built_so(Built(outcome=outcome, ok=ok, needed=needed))]
        for outcome, ok, needed in product(CheckOutcome, (False, True), (False, True))
    ]
    plans = [tuple(plan) for size in range(4) for plan in product("ab", repeat=size)]
    planned = [[plan, asked, _is_planned(plan, asked)] for plan, asked in product(plans, plans)]
    return [allowed, decided, built, planned]


RULES = Rules(
    version=RULES_VERSION,
    digest=digest_of(
        {
            "name": "gradefarm run verdict",
            "version": RULES_VERSION,
            "demanded": {source: list(kinds) for source, kinds in DEMANDED.items()},
            "ended_as": dict(ENDED_AS),
            "ends_that_pass": list(ENDS_THAT_PASS),
            "cases": _cases(),
        }
    ).removeprefix("sha256:"),
)
"""The rules of this code, by a digest over all in them that is data, and over what they say of
every case: whoever changes them changes it."""
