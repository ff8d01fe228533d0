"""The command lines of the embedded farm: which processes, with which environment."""

import signal
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.settings import Settings, broker_socket, gateway_socket
from scheduler.embedded_farm.broker import broker_answers, broker_command, find_broker_binary
from scheduler.embedded_farm.child import ChildSpec
from scheduler.embedded_farm.flower import (
    FlowerLogin,
    flower_answers,
    flower_command,
    flower_environment,
)

BROKER, SCHEDULER, FLOWER, GATEWAY = "broker", "scheduler", "flower", "gateway"
AGENT_WORKER, GRADE_WORKER = "agent-worker", "grade-worker"
WORKER_ROLES = {AGENT_WORKER: "agent", GRADE_WORKER: "grade"}

GENTLE = ((signal.SIGTERM, 5.0),)
WORKER_STOP = ((signal.SIGTERM, 3.0), (signal.SIGQUIT, 8.0))
"""TERM lets a worker finish what is short; QUIT has it hand back the rest."""


@dataclass(frozen=True)
class FarmPlan:
    """What the processes of one farm have in common."""

    settings: Settings
    environment: Mapping[str, str]
    slots: int
    metrics_port: int | None = None

    def metrics_words(self, place: int) -> tuple[str, ...]:
        """What tells the process at `place` (0 to 3) to serve metrics; nothing if none does."""
        if self.metrics_port is None:
            return ()
        return ("--metrics-port", str(self.metrics_port and self.metrics_port + place))


def broker_process(plan: FarmPlan) -> ChildSpec:
    """The broker; it stops last, since everything else talks to it."""
    binary = find_broker_binary()
    home = plan.settings.home
    address = broker_socket(home)
    return ChildSpec(
        name=BROKER,
        argv=broker_command(binary.path, home),
        environment=plan.environment,
        folder=home,
        ready=lambda: broker_answers(address),
        stop_steps=GENTLE,
        rank=1,
        describes=f"{binary.version.split(' sha=')[0]} on {address}",
    )


def scheduler_process(plan: FarmPlan, ready: Callable[[], bool]) -> ChildSpec:
    """The scheduler."""
    return ChildSpec(
        name=SCHEDULER,
        argv=own_command("scheduler", *plan.metrics_words(0)),
        environment=plan.environment,
        folder=plan.settings.home,
        ready=ready,
        stop_steps=GENTLE,
        describes="plans, dispatches, takes lost runs back",
    )


def worker_process(plan: FarmPlan, name: str, ready: Callable[[], bool]) -> ChildSpec:
    """One worker with its slots, called `agent-worker` or `grade-worker`."""
    role = WORKER_ROLES[name]
    return ChildSpec(
        name=name,
        argv=own_command(
            *("worker", "--role", role, "--name", role, "--concurrency", str(plan.slots)),
            *plan.metrics_words(1 if name == AGENT_WORKER else 2),
        ),
        environment=plan.environment,
        folder=plan.settings.home,
        ready=ready,
        stop_steps=WORKER_STOP,
        describes=f"{plan.slots} slots for the {role} stage",
    )


def has_own_gateway(settings: Settings) -> bool:
    """Whether this farm has a gateway of its own, and not one elsewhere or none."""
    return not settings.gateway_url and settings.gateway_config.is_file()


def gateway_process(plan: FarmPlan) -> ChildSpec:
    """The gateway to language models; it stops after the workers, who close their grants."""
    address = gateway_socket(plan.settings.home)
    return ChildSpec(
        name=GATEWAY,
        argv=own_command("gateway", *plan.metrics_words(3)),
        environment=plan.environment,
        folder=plan.settings.home,
        ready=lambda: is_listened_on(address),
        stop_steps=((signal.SIGTERM, 15.0),),
        rank=1,
        describes=f"the way to language models, on {address}",
    )


def is_listened_on(path: Path) -> bool:
    """Whether somebody takes connections on the unix socket `path`."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


def flower_process(plan: FarmPlan, login: FlowerLogin, port: int) -> ChildSpec:
    """Flower on `port`; a window that nothing depends on."""
    return ChildSpec(
        name=FLOWER,
        # Nothing waits for it, and it takes a second of a processor to start.
        argv=("nice", *flower_command(port)),
        environment=flower_environment(plan.environment, login),
        folder=plan.settings.home,
        ready=lambda: flower_answers(port),
        stop_steps=((signal.SIGTERM, 2.0),),
        describes="shows what every worker does",
    )


def own_command(*words: str) -> tuple[str, ...]:
    """A command of gradefarm, run by this same Python."""
    return (sys.executable, "-m", "scheduler.cli.main", *words)


def farm_environment(settings: Settings, base: Mapping[str, str]) -> dict[str, str]:
    """The environment of the farm's processes: this one's, with the same home for all.

    The safe path keeps Python from importing whatever lies in the working directory.
    """
    kept = {name: value for name, value in base.items() if name != "GRADEFARM_METRICS_PORT"}
    return kept | {
        "GRADEFARM_HOME": str(settings.home),
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
    }
