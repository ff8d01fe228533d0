"""`make chaos`: a storm of faults on a farm of processes over PostgreSQL and Valkey.

Every run must be there, counted once, and right; every attempt that did not end well must be
explained by a fault that may lead to it; nothing may be left behind. Recovery is the time from a
fault's beginning until a stage that was begun after its end had ended well, on the worker that was
hit, else anywhere.
"""

import argparse
import json
import shutil
import signal
import sys
import time
from pathlib import Path

from tests.benchmarks.__main__ import RESULTS, write
from tests.chaos.faults import FAULTS
from tests.chaos.outcome import StormOutcome, close_storm, outcome_text
from tests.chaos.storm import Storm, StormPlan, storm_root
from tests.chaos.storm_farm import StormFarm

RUNS, STRIKES = 5_000, 200


def main() -> None:
    """One storm; exits with 4 where anything is not as it must be."""
    parser = argparse.ArgumentParser(prog="make chaos")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--faults", type=int, default=STRIKES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the farm's folder, logs and all")
    chosen = parser.parse_args()
    # So that nothing stays when it is told to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    plan = StormPlan(chosen.runs, chosen.faults, chosen.seed)
    outcome = storm(plan, keep=chosen.keep)
    text = outcome_text(outcome)
    print(text)
    if outcome.clean and is_full(outcome):
        how = f"--runs {plan.runs} --faults {plan.faults} --seed {plan.seed}"
        write("chaos", headline(outcome), f'make chaos ARGS="{how}"', text)
    else:
        print(f"{RESULTS / 'chaos.md'} is left as it is: this storm was not clean, or not full.")
    sys.exit(0 if outcome.clean else 4)


def is_full(outcome: StormOutcome) -> bool:
    """Whether it had every kind of fault, and as much of everything as `make chaos` has."""
    every_kind = {fault.kind for fault in FAULTS}
    as_much = outcome.ledger.runs >= RUNS and outcome.strikes.total() >= STRIKES
    return as_much and set(outcome.strikes) == every_kind


def headline(outcome: StormOutcome) -> str:
    """What the page says first: the figures that were run, and what had to hold."""
    first, _, rest = (__doc__ or "").strip().partition("\n")
    figures = f"{outcome.ledger.runs:,} runs under {outcome.strikes.total()} faults"
    return f"{first} {figures}.\n{rest}"


def storm(plan: StormPlan, *, keep: bool = False) -> StormOutcome:
    """One storm in a folder of its own, with progress on standard error."""
    root = storm_root()
    print(f"the farm of this storm is in {root}", file=sys.stderr, flush=True)
    farm = StormFarm(root)
    try:
        farm.start()
        began = time.monotonic()
        under_way = Storm(farm, plan, lambda text: _say(began, text))
        under_way.run()
        outcome = close_storm(under_way)
        _note_strikes(root, under_way)
        return outcome
    finally:
        farm.close()
        if not keep:
            shutil.rmtree(root, ignore_errors=True)


def _say(began: float, text: str) -> None:
    print(f"{time.monotonic() - began:6.0f} s  {text}", file=sys.stderr, flush=True)


def _note_strikes(root: Path, under_way: Storm) -> None:
    """All faults with their times, beside the logs."""
    strikes = [
        {"kind": s.kind, "target": s.target, "began": s.began, "ended": s.ended, "note": s.note}
        for s in under_way.strikes
    ]
    (root / "strikes.json").write_text(json.dumps(strikes, indent=1))


if __name__ == "__main__":
    main()
