"""What came of a storm: figures, and every single thing that is not as it must be."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import select

from models.tables.outbox import OutboxRow
from tests.chaos.blame import recoveries, wrongly_blamed
from tests.chaos.ledger import Ledger, read_ledger
from tests.chaos.leftovers import sandboxes_left, traces_left
from tests.chaos.log_account import log_faults, log_is_ordered
from tests.chaos.storm import Storm
from tests.chaos.storm_farm import StormFarm, eventually

TIDY_WITHIN_S = 60.0
SHOWN = 20


@dataclass(frozen=True)
class StormOutcome:
    """A storm that is over. Every list should be empty."""

    ledger: Ledger
    strikes: Counter[str]
    orders: Counter[str]
    unkept: list[str]
    blamed: list[str]
    log: list[str]
    left: list[str]
    errors: list[str]
    recovered: dict[str, tuple[float, ...]]
    lasted_s: float

    @property
    def deviations(self) -> dict[str, list[str]]:
        """What must not be, by what it breaks."""
        ledger = self.ledger
        return {
            "lost": ledger.lost,
            "counted twice": ledger.twice,
            "wrongly blamed": [*self.blamed, *ledger.wrong],
            "inconsistent": ledger.broken,
            "orders, limits or books not kept": [*self.unkept, *ledger.unkept],
            "the log does not hold": self.log,
            "left behind": self.left,
            "errors of the storm itself": self.errors,
        }

    @property
    def clean(self) -> bool:
        """Whether everything is as it must be."""
        return not any(self.deviations.values())


def close_storm(storm: Storm) -> StormOutcome:
    """Look at everything, end the farm, and look at what is left then."""
    farm = storm.farm
    eventually(lambda: not sandboxes_left(farm), TIDY_WITHIN_S)
    eventually(lambda: _all_is_sent(farm), TIDY_WITHIN_S)
    eventually(lambda: log_is_ordered(farm.database), TIDY_WITHIN_S)
    left = sandboxes_left(farm)
    ledger = read_ledger(farm.database, f"file://{farm.artifacts}")
    log = log_faults(farm.database)
    left += farm.stop_processes()
    left += traces_left(farm)
    return StormOutcome(
        ledger=ledger,
        strikes=Counter(strike.kind for strike in storm.strikes),
        blamed=wrongly_blamed(ledger.attempts, [*storm.strikes, *storm.steering.orders]),
        orders=Counter(order.kind for order in storm.steering.orders),
        unkept=storm.steering.unkept,
        log=log,
        left=left,
        errors=storm.errors,
        recovered=recoveries(ledger.attempts, storm.strikes),
        lasted_s=storm.lasted_s,
    )


def _all_is_sent(farm: StormFarm) -> bool:
    with farm.database.read() as session:
        return session.execute(select(OutboxRow.id).limit(1)).first() is None


def outcome_text(outcome: StormOutcome) -> str:
    """The figures as Markdown, with all deviations below."""
    lines = [
        "| | |",
        "| --- | --- |",
        f"| runs | {outcome.ledger.runs} |",
        f"| faults | {outcome.strikes.total()} |",
        *(f"| {name} | {len(found)} |" for name, found in outcome.deviations.items()),
        f"| runs set aside: faults hit every try of a stage | {outcome.ledger.set_aside} |",
        f"| runs cancelled | {outcome.ledger.cancelled} |",
        *(f"| {kind} | {times} |" for kind, times in sorted(outcome.orders.items())),
        f"| took | {outcome.lasted_s:.0f} s |",
        "",
        "| attempts | |",
        "| --- | --- |",
        *(f"| {ending} | {count} |" for ending, count in sorted(outcome.ledger.endings.items())),
        "",
        "| fault | times | recovered after, median | longest |",
        "| --- | --- | --- | --- |",
        *(_fault_line(outcome, kind) for kind in sorted(outcome.strikes)),
    ]
    for name, found in outcome.deviations.items():
        if found:
            lines += ["", f"**{name}**", "", *(f"- {each}" for each in found[:SHOWN])]
            if len(found) > SHOWN:
                lines.append(f"- and {len(found) - SHOWN} more")
    return "\n".join(lines)


def _fault_line(outcome: StormOutcome, kind: str) -> str:
    times = outcome.strikes[kind]
    if kind not in outcome.recovered:
        return f"| {kind} | {times} | | |"
    middle, longest, _ = outcome.recovered[kind]
    return f"| {kind} | {times} | {middle:.1f} s | {longest:.1f} s |"
