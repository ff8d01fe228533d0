"""`python -m tests.property.lease_mutants`: breaks the farm, one line at a time, and says after how
many examples, and by what, the lease machine sees it.

Without shrinking, the same examples every time. The command fails where a mutant outlives those of
SEEDS seeds, or ends by anything but a promise that it broke, and where a control is not told apart.
"""

import argparse
import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec, module_from_spec
from io import StringIO
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest  # noqa: F401
import sqlalchemy.orm  # noqa: F401
from hypothesis import Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from pydantic import ValidationError

from models.errors import FarmError

ROOT = Path(__file__).parents[2]
EXAMPLES, SEEDS = 9, 30
OURS = ("lease_promises.py", "test_lease_machine.py")
OUTLIVED, BROKE = "outlived", "broke"
LEASES = "models/storage/leases.py"
LIMITS = "models/storage/system_limits.py"
DISPATCH = "scheduler/dispatch.py"
TRANSITIONS = "models/storage/lease_transitions.py"


@dataclass(frozen=True)
class Mutant:
    """One place of one file, and what stands there instead."""

    name: str
    file: str
    old: str
    new: str
    seed: int = 0
    """Where the search begins: at some seeds it takes a few examples, at others tens."""
    seeds: int = SEEDS
    known_by: tuple[type[Exception], ...] = ()
    """What ends it beside a promise that is broken and an error that the farm raises on purpose."""

    @property
    def killers(self) -> tuple[type[Exception], ...]:
        return (AssertionError, FarmError, *self.known_by)


MUTANTS = (
    Mutant(
        "nothing is queued",
        DISPATCH,
        "chosen = choose_waiting(database, now, window)",
        "chosen: dict[Stage, list[Candidate]] = {}",
    ),
    Mutant(
        "nothing is put back after a broker loss",
        DISPATCH,
        "returned = unqueue_all(session)",
        "returned = 0",
        seed=2,
    ),
    Mutant(
        "nothing overdue is put back",
        DISPATCH,
        "returned += unqueue_overdue(session, queue_pk, now)",
        "returned += 0",
        seed=17,
    ),
    Mutant(
        "no message is written",
        "models/storage/dispatching.py",
        "    remember_messages(session, stage, in_turn, now)\n",
        "",
    ),
    Mutant(
        "cancel leaves leased runs",
        "models/storage/campaign_endings.py",
        "for states in UNFINISHED:\n        found",
        "for states in UNFINISHED[1:]:\n        found",
        seed=4,
    ),
    Mutant(
        "lost tries are not counted",
        "models/storage/failed_tries.py",
        "else grade_tries) + 1",
        "else grade_tries) + (category is not VoidCategory.WORKER_LOST)",
    ),
    Mutant(
        "freeze does not check the token",
        TRANSITIONS,
        "RunState.FROZEN,\n    THIS_LEASE,",
        "RunState.FROZEN,\n    (THIS_RUN,),",
        seed=3,
    ),
    Mutant(
        "a verdict does not check the token",
        TRANSITIONS,
        "RunState.GRADED, THIS_LEASE,",
        "RunState.GRADED, (THIS_RUN,),",
    ),
    Mutant(
        "a run of a campaign that rests begins",
        TRANSITIONS,
        "(THIS_RUN, in_active_campaign(), speaks_ours()),",
        "(THIS_RUN, speaks_ours()),",
        seed=3,
    ),
    Mutant(
        "concurrency is not limited",
        LIMITS,
        "if running > limit.max_concurrent:",
        "if running > limit.max_concurrent + 99:",
        seed=2,
    ),
    Mutant(
        "a start leaves no mark",
        LIMITS,
        "if limit.starts_per_minute is not None:\n        following",
        "if limit.starts_per_minute == 0:\n        following",
    ),
    Mutant(
        "a claim that waited keeps no pace",
        "models/schemas/system_limit.py",
        "LONGEST_WAIT_S = 60.0",
        "LONGEST_WAIT_S = 0.0",
        seed=25,
    ),
    Mutant(
        "the budget is not looked at",
        "models/storage/budgets.py",
        "if cap > left:",
        "if cap > left + 10**9:",
        seed=20,
    ),
    Mutant(
        "what is unknown is free",
        "models/schemas/budget.py",
        "return reserved\n",
        "return 0\n",
    ),
    Mutant(
        "expiry settles nothing",
        LEASES,
        "    charge(session, settled)\n    tally(session, endings)\n    return expired",
        "    tally(session, endings)\n    return expired",
    ),
    Mutant(
        "expiry tallies no run that is void",
        LEASES,
        "    tally(session, endings)\n    return expired",
        "    return expired",
    ),
    Mutant(
        "spoiled attempts are not tallied",
        "models/storage/attempts.py",
        "if ending in SPOILED:",
        "if ending in SPOILED and not facts:",
    ),
    Mutant(
        "pause at once interrupts nothing",
        "models/storage/interruptions.py",
        "in session.execute(leased).all():",
        "in session.execute(leased).all()[:0]:",
        seed=5,
    ),
    Mutant(
        "renewal does not check the token",
        LEASES,
        ".where(THESE, HELD, in_states(LEASED_STATES))",
        ".where(THESE, in_states(LEASED_STATES))",
    ),
    Mutant(
        "what was interrupted settles nothing",
        "models/storage/interruptions.py",
        "        settled += released\n",
        "",
        seed=5,
    ),
    Mutant(
        "what was cancelled settles nothing",
        "models/storage/campaign_endings.py",
        "    charge(session, settled)\n    tally(session, Counter((cell_pk, CANCELLED)",
        "    tally(session, Counter((cell_pk, CANCELLED)",
        seed=4,
    ),
    Mutant(
        "what was interrupted counts as lost",
        "models/storage/interruptions.py",
        "        AttemptEnding.INTERRUPTED,\n",
        "        AttemptEnding.LOST,\n",
        seed=4,
    ),
    Mutant(
        "a verdict is tallied twice",
        LEASES,
        "tally(session, Counter([(moved[0].cell_pk, ending)]))",
        "tally(session, Counter([(moved[0].cell_pk, ending)] * 2))",
        known_by=(ValidationError,),
    ),
    Mutant(
        "a result that is written twice is refused",
        LEASES,
        "if has_ended(session, order.run_id, order.token, written):",
        "if False:",
    ),
)

CONTROLS = {
    Mutant("nothing is changed", LEASES, "def claim(", "def claim(", seeds=2): OUTLIVED,
    Mutant(
        "code that does not run",
        DISPATCH,
        "returned = unqueue_all(session)",
        "returned = unqueue_all_at(session)",
    ): BROKE,
}
"""What is no fault, and what has to be told of it."""


def main() -> None:
    """All mutants, or those whose names hold what is given; exits with 4 where one is not as it
    should be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("named", nargs="?", default="")
    chosen = parser.parse_args()
    wrong = 0
    print("| mutant | killed by | after examples |\n| --- | --- | --- |", flush=True)
    for mutant, told in fates(
        [each for each in (*MUTANTS, *CONTROLS) if chosen.named in each.name]
    ):
        wrong += not is_as_it_should_be(mutant, told)
        print(f"| {mutant.name} | {told} |", flush=True)
    sys.exit(4 if wrong else 0)


def is_as_it_should_be(mutant: Mutant, told: str) -> bool:
    """Whether a fault is found, and a control told as what it is."""
    if mutant in CONTROLS:
        return told.startswith(CONTROLS[mutant])
    return not told.startswith((OUTLIVED, BROKE))


def fates(mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, str]]:
    """What became of each, in processes of their own, as many at a time as there are processors.

    Not from a process that imported the farm already.
    """
    forked = get_context("fork")
    at_once = os.cpu_count() or 1
    for first in range(0, len(mutants), at_once):
        begun: list[tuple[Mutant, ForkProcess, Connection]] = []
        for mutant in mutants[first : first + at_once]:
            ours, theirs = forked.Pipe(duplex=False)
            process = forked.Process(target=_live, args=(mutant, theirs))
            process.start()
            theirs.close()
            begun.append((mutant, process, ours))
        for mutant, process, told in begun:
            yield mutant, told.recv()
            process.join()


def _live(mutant: Mutant, telling: Connection) -> None:
    plant(mutant)
    try:
        telling.send(fate(mutant))
    except Exception as error:
        # What says nothing of the farm's promises: its code, or the machine's, does not run.
        said = str(error).partition("\n")[0]
        telling.send(f"{BROKE}: {type(error).__name__}: {said} | ")


def mutated(mutant: Mutant) -> str:
    """Its file with the mutant in it; raises ValueError where its place is not there once."""
    source = (ROOT / mutant.file).read_text()
    if source.count(mutant.old) != 1:
        raise ValueError(f"{mutant.name}: {mutant.file} does not have its place once.")
    return source.replace(mutant.old, mutant.new)


def plant(mutant: Mutant) -> None:
    """Have this process import the mutant's module as it is with the mutant in it."""
    name = mutant.file.removesuffix(".py").replace("/", ".")
    spec = find_spec(name)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(mutated(mutant), mutant.file, "exec"), module.__dict__)


def fate(mutant: Mutant) -> str:
    """What of the machine failed here, and after how many examples from the mutant's seed on.

    Lets through what is no killer of this mutant.
    """
    examples: Counter[str] = Counter()
    for number in range(mutant.seed, mutant.seed + mutant.seeds):
        if told := killed_by(mutant.killers, number, examples):
            return f"{told} | {examples['all']}"
    return f"{OUTLIVED} | {examples['all']}"


def killed_by(killers: tuple[type[Exception], ...], number: int, examples: Counter[str]) -> str:
    """What failed in the examples of one seed, which are counted; empty where nothing did."""
    from tests.property.test_lease_machine import LeaseMachine

    @seed(number)
    class Counting(LeaseMachine):
        def __init__(self) -> None:
            super().__init__()
            examples["all"] += 1

    only = settings(
        LeaseMachine.TestCase.settings,
        max_examples=EXAMPLES,
        phases=[Phase.generate],
        database=None,
        report_multiple_bugs=False,
    )
    try:
        with redirect_stdout(StringIO()):
            run_state_machine_as_test(Counting, settings=only)
    except killers as error:
        where = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in where if Path(frame.filename).name in OURS]
        said = str(error).partition("\n")[0] or str(ours[-1].line)
        return f"`{ours[-1].name}`: {said}"
    return ""


if __name__ == "__main__":
    main()
