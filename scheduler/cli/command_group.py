"""The root group: knows every command by name, and imports one only when it is called.

Importing all of them costs a second; `gradefarm --help` and shell completion must not pay that.
"""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from scheduler.cli.server_choice import offer_server

ENTRY_POINTS = "gradefarm.commands"

OF_THE_ROOT = frozenset({"install_completion", "show_completion"})
"""Options that Typer gives every app, and that are for the whole command line only."""

EVALUATE, LOOK, FARM, CATALOGUE = "Evaluate", "Look", "Farm", "Catalogue"


@dataclass(frozen=True)
class LazyCommand:
    """A command that is not imported yet: `module:attribute` of its Typer app."""

    name: str
    target: str
    summary: str
    panel: str


OWN = (
    LazyCommand(
        "demo",
        "scheduler.cli.demo:app",
        "Start a farm, prove a verifier, run a campaign, show the board.",
        EVALUATE,
    ),
    LazyCommand(
        "campaign",
        "scheduler.cli.campaign:app",
        "Describe, start, watch and steer campaigns.",
        EVALUATE,
    ),
    LazyCommand(
        "gate", "scheduler.cli.gate:app", "Prove verifiers, and show the proofs.", EVALUATE
    ),
    LazyCommand(
        "regrade",
        "scheduler.cli.regrade:app",
        "Grade frozen snapshots again, and show what came out otherwise.",
        EVALUATE,
    ),
    LazyCommand(
        "board", "scheduler.cli.board:app", "Systems in tiers, with bands and void counts.", LOOK
    ),
    LazyCommand(
        "runs", "scheduler.cli.runs:app", "Open single runs: attempts, transcript, checks.", LOOK
    ),
    LazyCommand(
        "recordings",
        "scheduler.cli.recordings:app",
        "What agents did elsewhere: import, show, export; never ranked.",
        LOOK,
    ),
    LazyCommand(
        "record",
        "scheduler.cli.record:app",
        "Take records out of the farm, verify them without it, read them.",
        LOOK,
    ),
    LazyCommand("log", "scheduler.cli.log:app", "What the farm's log holds, and checks it.", LOOK),
    LazyCommand(
        "systems",
        "scheduler.cli.systems:app",
        "What runs of each system, and limits that hold for all campaigns.",
        LOOK,
    ),
    LazyCommand(
        "workers", "scheduler.cli.workers:app", "Who works, and what each worker does.", LOOK
    ),
    LazyCommand(
        "drain",
        "scheduler.cli.workers:drain_all_app",
        "Let every worker finish what it has and take no more.",
        FARM,
    ),
    LazyCommand(
        "up",
        "scheduler.cli.up:app",
        "Run a whole farm on this machine, in the foreground.",
        FARM,
    ),
    LazyCommand(
        "scheduler", "scheduler.cli.scheduler:app", "Run the scheduler, in the foreground.", FARM
    ),
    LazyCommand("api", "scheduler.cli.api:app", "Answer over HTTP, in the foreground.", FARM),
    LazyCommand("flower", "scheduler.cli.flower:app", "Run Flower alone, in the foreground.", FARM),
    LazyCommand("keys", "scheduler.cli.keys:app", "Who may sign records.", FARM),
    LazyCommand("tokens", "scheduler.cli.tokens:app", "Who may ask over HTTP.", FARM),
    LazyCommand(
        "metrics", "scheduler.cli.metrics:app", "The farm's figures for Prometheus, once.", FARM
    ),
    LazyCommand("doctor", "scheduler.cli.doctor:app", "What this machine gives and lacks.", FARM),
    LazyCommand("db", "scheduler.cli.db:app", "Create or migrate the database, or check it.", FARM),
    LazyCommand("backup", "scheduler.cli.backup:app", "Back up database and artifacts.", FARM),
    LazyCommand(
        "prune", "scheduler.cli.prune:app", "Make room, keeping what results rest on.", FARM
    ),
    LazyCommand("restore", "scheduler.cli.restore:app", "Bring a backup back, or prove it.", FARM),
)

PLUGGED: dict[str, tuple[str, str]] = {
    "worker": ("Run a worker, in the foreground.", FARM),
    "gateway": ("Run the gateway to language models, in the foreground.", FARM),
    "catalog": ("List tasks and languages; validate task packages.", CATALOGUE),
}
"""Summaries of the commands that other packages of the farm plug in."""


def lazy_commands() -> Iterator[LazyCommand]:
    """Every command: the scheduler's own, then the ones of other packages by name."""
    yield from OWN
    for point in sorted(entry_points(group=ENTRY_POINTS), key=_name_of):
        summary, panel = PLUGGED.get(point.name, (f"From {point.value}.", "Plugged in"))
        yield LazyCommand(point.name, point.value, summary, panel)


def _name_of(point: EntryPoint) -> str:
    return point.name


def load(command: LazyCommand) -> TyperCommand | TyperGroup:
    """Import a command and build it."""
    module, _, attribute = command.target.partition(":")
    app = cast("typer.Typer", getattr(importlib.import_module(module), attribute))
    built = cast("TyperCommand | TyperGroup", get_command(app))
    built.name = command.name
    built.params = [option for option in built.params if option.name not in OF_THE_ROOT]
    offer_server(built, (command.name,))
    if isinstance(built, TyperGroup) and command.name == "catalog":
        _list_where_asked(built.commands["list"])
    return built


def _list_where_asked(command: Any) -> None:
    """Let `catalog list`, which knows folders only, tell of a farm elsewhere too."""
    here = command.callback

    def there_or_here(**options: Any) -> None:
        # Not at the top: the list of commands is shown without these.
        from models.settings import current_settings  # noqa: PLC0415

        if not current_settings().server:
            here(**options)
            return
        from scheduler.cli.catalog_elsewhere import list_elsewhere  # noqa: PLC0415

        list_elsewhere(**options)

    command.callback = there_or_here


class LazyGroup(TyperGroup):
    """Shows placeholders in lists, and puts the real command in place when it is called."""

    # Typer keeps the types of its click copy private; they only pass through here.
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._lazy = {command.name: command for command in lazy_commands()}
        for command in self._lazy.values():
            self.add_command(TyperCommand(command.name, help=command.summary), command.name)
        self._panels = {command.name: command.panel for command in self._lazy.values()}

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Import the command that `args` begin with, then go on as usual."""
        if args and (command := self._lazy.pop(args[0], None)):
            self.add_command(load(command), command.name)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - Typer calls it so
        """Write the commands under the heads of their panels."""
        for panel in dict.fromkeys(self._panels.values()):
            with formatter.section(panel):
                names = [name for name, place in self._panels.items() if place == panel]
                formatter.write_dl([(name, self.commands[name].help or "") for name in names])
