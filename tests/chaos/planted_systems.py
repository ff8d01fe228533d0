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
PLANTED = {system.name: system for system in (*GOOD, *FAILING)}


def good_campaign(name: str, runs: int) -> CampaignSpec:
    """About `runs` runs of systems that must pass."""
    return _campaign(name, GOOD, max(1, runs // len(GOOD)))


def failing_campaign(name: str, runs: int) -> CampaignSpec:
    """About `runs` runs of systems that fail by themselves."""
    return _campaign(name, FAILING, max(1, runs // len(FAILING)))


def _campaign(name: str, systems: tuple[Planted, ...], repeats: int) -> CampaignSpec:
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
                }
                for each in systems
            ],
            "policy": {"max_attempts": 20},
        }
    )
