"""`gradefarm demo`: the whole road at once, from nothing to a board."""

from typing import Annotated

import typer

from models.clock import SystemClock
from models.settings import allow_unisolated_runs, current_settings
from scheduler.cli.demo_wish import DemoWish
from scheduler.cli.stop_signals import StopRequested, stoppable
from scheduler.cli.up import NoIsolation, StartNotice, say
from scheduler.embedded_farm.database_file import database_exists
from scheduler.embedded_farm.farm import FarmOptions, embedded_farm

app = typer.Typer(rich_markup_mode=None)

INTERRUPTED = 130


@app.command()
def demo(
    *,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start another one, although one is finished.")
    ] = False,
    slots: Annotated[
        int,
        typer.Option(min=0, max=1_024, help="Runs at once in each stage; 0: one per processor."),
    ] = 0,
    no_isolation: NoIsolation = False,
    repeats: Annotated[int | None, typer.Option(min=1, hidden=True)] = None,
    languages: Annotated[str, typer.Option(hidden=True)] = "",
) -> None:
    """Start a farm, prove the verifier of a bundled task, run a campaign on it, show the board.

    Ctrl-C at any moment stops everything; the next `gradefarm demo` goes on where it was.

    \b
      gradefarm demo
      gradefarm demo --fresh
    """
    if no_isolation:
        allow_unisolated_runs()
    settings = current_settings()
    wish = DemoWish(repeats, tuple(part for part in languages.split(",") if part), fresh)
    if database_exists(settings.database_url) and _was_finished(wish):
        return
    try:
        with stoppable(), embedded_farm(settings, SystemClock(), FarmOptions(slots)) as farm:
            say(f"1/4  starting a farm in {settings.home}")
            farm.start()
            # What is slow to import waits until the farm's processes are on their way.
            from scheduler.cli.demo_run import DemoRun  # noqa: PLC0415

            farm.wait(StartNotice())
            DemoRun(farm, wish).run()
    except StopRequested as request:
        say(f"\n{request}; nothing runs any more. `gradefarm demo` goes on where it was.")
        raise typer.Exit(INTERRUPTED) from request


def _was_finished(wish: DemoWish) -> bool:
    # Not at the top: on a machine without any results yet, nobody waits for this import.
    from scheduler.cli.demo_run import show_finished  # noqa: PLC0415

    return show_finished(wish)
