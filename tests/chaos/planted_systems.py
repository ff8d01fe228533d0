"""Systems of which it is known beforehand how every one of their runs must end."""

from dataclasses import dataclass

from models.schemas.campaign import CampaignSpec
from models.verdicts import CheckOutcome, Verdict
from tests.chaos.shell_catalog import LANGUAGE_ID, TASK


@dataclass(frozen=True)
class Planted:
    """A scripted system, and what must come of it whatever the farm goes through."""

    name: str
    actions: tuple[str, ...]
    verdict: Verdict
    outcome: CheckOutcome
    undelivered: bool = False


def _good(number: int) -> Planted:
    act = f"sleep 0.{number}; echo 'echo ready' > main.sh"
    return Planted(f"good-{number}", (act,), Verdict.PASSED, CheckOutcome.PASSED)


def _slow(name: str, seconds: float) -> Planted:
    act = f"sleep {seconds}; echo 'echo ready' > main.sh"
    return Planted(name, (act,), Verdict.PASSED, CheckOutcome.PASSED)


def _failing(name: str, program: str, outcome: CheckOutcome) -> Planted:
    return Planted(name, (f"echo '{program}' > main.sh",), Verdict.FAILED, outcome)


GOOD = tuple(_good(number) for number in range(3, 8))
FAILING = (
    _failing("busy-loop", "while :; do :; done", CheckOutcome.TIMEOUT),
    _failing("idle-loop", "while :; do sleep 1; done", CheckOutcome.TIMEOUT),
    _failing("memory-bomb", "exec tail /dev/zero", CheckOutcome.MEMORY),
    _failing("crash", "kill -SEGV $$", CheckOutcome.CRASH),
    _failing("wrong", "echo steady", CheckOutcome.WRONG),
    Planted("nothing", ("exit 1",), Verdict.FAILED, CheckOutcome.CRASH, undelivered=True),
)
ONE_AT_ONCE, AT_ONCE = "one-at-once", 1
PACED, PER_MINUTE = "paced", 6
LIMITS: dict[str, dict[str, int]] = {
    ONE_AT_ONCE: {"max_concurrent": AT_ONCE},
    PACED: {"starts_per_minute": PER_MINUTE},
}
LIMITED = (_slow(ONE_AT_ONCE, 3.0), _slow(PACED, 0.55))
LIMITED_RUNS = 5
"""Of each limited system: the paced one needs ten seconds for each."""
RUN_WALL_S = 30.0
STEERED = _slow("steered", 1.5)
STEERED_RUNS = 24
PLANTED = {system.name: system for system in (*GOOD, *FAILING, *LIMITED, STEERED)}


def good_campaign(name: str, runs: int) -> CampaignSpec:
    """At least `runs` runs of systems that must pass, the same number of each."""
    return _campaign(name, GOOD, max(1, -(-runs // len(GOOD))))


def failing_campaign(name: str, runs: int) -> CampaignSpec:
    """About `runs` runs of systems that fail by themselves."""
    return _campaign(name, FAILING, max(1, runs // len(FAILING)))


def limited_campaign(name: str) -> CampaignSpec:
    """Systems with limits, and a budget of time that pays for every try ten times."""
    total = 10 * RUN_WALL_S * LIMITED_RUNS * len(LIMITED)
    return _campaign(
        name,
        LIMITED,
        LIMITED_RUNS,
        limits={"agent_wall_s": RUN_WALL_S},
        budget={"wall_s": total},
    )


def steered_campaign(name: str) -> CampaignSpec:
    """Runs that take long enough to be given orders for; they pass where they are let."""
    return _campaign(name, (STEERED,), STEERED_RUNS)


def _campaign(
    name: str, systems: tuple[Planted, ...], repeats: int, **more: object
) -> CampaignSpec:
    return CampaignSpec.model_validate(
        {
            "name": name,
            "tasks": [TASK],
            "languages": [LANGUAGE_ID],
            "repeats": repeats,
            "systems": [
                {
                    "name": each.name,
                    "agent": "scripted",
                    "settings": {"actions": list(each.actions)},
                    **LIMITS.get(each.name, {}),
                }
                for each in systems
            ],
            **more,
        }
    )
