"""`gradefarm up`: a whole farm on this machine, in the foreground."""

import time
from typing import Annotated

import typer

from models.clock import SystemClock
from models.settings import allow_unisolated_runs, current_settings, process_environment
from scheduler.cli.stop_signals import StopRequested, stoppable
from scheduler.cli.text_tables import columns
from scheduler.embedded_farm.farm import EmbeddedFarm, FarmOptions, embedded_farm

app = typer.Typer(rich_markup_mode=None)

NoIsolation = Annotated[
    bool,
    typer.Option(
        "--no-isolation",
        help="Work without a sandbox where none can be had; results and boards are marked.",
    ),
]
TEND_S = 0.2
PATIENCE_S = 8.0


@app.command()
def up(
    *,
    slots: Annotated[
        int,
        typer.Option(min=0, max=1_024, help="Runs at once in each stage; 0: one per processor."),
    ] = 0,
    flower: Annotated[bool, typer.Option(help="Start Flower as well.")] = True,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65_532,
            help="Serve metrics: the scheduler there, the others on the three ports above; 0: any.",
        ),
    ] = None,
    no_isolation: NoIsolation = False,
) -> None:
    """Run a whole farm on this machine until Ctrl-C: broker, scheduler, workers, Flower, and the
    gateway to language models where GRADEFARM_HOME has a gateway.toml.

    Everything is kept below GRADEFARM_HOME, and nothing runs any more when this command has
    ended, however it ends. A process that dies is started again.

    \b
      gradefarm up
      gradefarm up --slots 8
      GRADEFARM_HOME=/data/farm gradefarm up
    """
    if no_isolation:
        allow_unisolated_runs()
    clock = SystemClock()
    begun = clock.monotonic()
    try:
        with (
            stoppable(),
            embedded_farm(
                current_settings(), clock, FarmOptions(slots, flower, metrics_port)
            ) as farm,
        ):
            say("starting ...")
            farm.start()
            farm.wait(StartNotice())
            farm.wait_for_flower()
            say(summary(farm, clock.monotonic() - begun))
            while True:
                for line in farm.tend():
                    say(line)
                time.sleep(TEND_S)
    except StopRequested as request:
        say(f"{request}; nothing of the farm runs any more")


class StartNotice:
    """Says once why a start takes long, when it does."""

    def __init__(self) -> None:
        self._said = False

    def __call__(self, waiting: tuple[str, ...], waited_s: float) -> None:
        """Hear which processes are waited for, and for how many seconds."""
        if self._said or waited_s < PATIENCE_S:
            return
        self._said = True
        say(
            f"     waiting for {', '.join(waiting)}: to prove the sandbox and the toolchains "
            "takes a while on a busy machine"
        )


def say(text: str) -> None:
    """Print at once, also into a pipe."""
    print(text, flush=True)


def summary(farm: EmbeddedFarm, took_s: float) -> str:
    """What runs where, and what to type next."""
    rows = [(child.spec.name, child.pid, child.spec.describes) for child in farm.children]
    settings = current_settings()
    lines = [
        f"the farm is ready after {took_s:.1f} s",
        columns(("process", "pid", "what"), rows),
        "",
        f"home      {settings.home}",
        f"logs      {farm.logs}",
    ]
    lines += flower_lines(farm)
    lines += [
        "",
        "next, in another terminal" + _same_home(),
        "  gradefarm gate run                          prove the verifiers",
        "  gradefarm campaign new my.toml              write a campaign file",
        "  gradefarm campaign start my.toml --watch    run it",
        "  gradefarm board                             read it",
        "Ctrl-C stops everything.",
    ]
    return "\n".join(lines)


def flower_lines(farm: EmbeddedFarm) -> list[str]:
    """Where Flower is and how to get in."""
    if not any(child.spec.name == "flower" for child in farm.children):
        return []
    return [
        f"Flower    {farm.flower_address}   user {farm.login.user}, password {farm.login.password}"
    ]


def _same_home() -> str:
    """A reminder where the other terminal has to be told which farm is meant."""
    chosen = process_environment().get("GRADEFARM_HOME")
    return f", with GRADEFARM_HOME={chosen}:" if chosen else ":"
