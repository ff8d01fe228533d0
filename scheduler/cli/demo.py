"""`gradefarm demo`: the whole road at once, from nothing to a board."""

import sys
from typing import Annotated

import psutil
import typer

from models.clock import SystemClock
from models.errors import Infrastructure
from models.schemas.campaign import CampaignSpec, CampaignState
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from scheduler.campaign_lifecycle import resume_campaign, start_campaign
from scheduler.cli.board import board_of, board_text
from scheduler.cli.demo_campaign import begun_demo, demo_spec, in_languages
from scheduler.cli.farm_access import FarmAccess, open_farm
from scheduler.cli.farm_life import living_workers
from scheduler.cli.proving import prove
from scheduler.cli.stop_signals import StopRequested, stoppable
from scheduler.cli.up import StartNotice, flower_lines, say
from scheduler.cli.watching import CampaignWatch
from scheduler.embedded_farm.farm import EmbeddedFarm, FarmOptions, embedded_farm
from scheduler.gate_campaigns import proofs_of

app = typer.Typer(rich_markup_mode=None)

REFERENCE_REPEATS = 3
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
    repeats: Annotated[int | None, typer.Option(min=1, hidden=True)] = None,
    languages: Annotated[str, typer.Option(hidden=True)] = "",
) -> None:
    """Start a farm, prove the verifier of a bundled task, run a campaign on it, show the board.

    Ctrl-C at any moment stops everything; the next `gradefarm demo` goes on where it was.

    \b
      gradefarm demo
      gradefarm demo --fresh
    """
    access = open_farm()
    named = tuple(part for part in languages.split(",") if part)
    wanted = demo_spec(access, repeats, named)
    known = None if fresh else begun_demo(access, wanted, any_languages=not named)
    if known is not None and known.state is CampaignState.FINISHED:
        say(f"{known.id} is finished already; `gradefarm demo --fresh` starts another\n")
        _show_end(access, known)
        return
    try:
        with stoppable(), embedded_farm(access.settings, access.clock, FarmOptions(slots)) as farm:
            DemoRun(access, farm, wanted).run(known)
    except StopRequested as request:
        say(f"\n{request}; nothing runs any more. `gradefarm demo` goes on where it was.")
        raise typer.Exit(INTERRUPTED) from request


class DemoRun:
    """One demo in one farm."""

    def __init__(self, access: FarmAccess, farm: EmbeddedFarm, wanted: CampaignSpec) -> None:
        self._access = access
        self._farm = farm
        self._wanted = wanted
        self._first_result_s: float | None = None

    def run(self, known: CampaignView | None) -> None:
        """Start the farm and bring `known`, or a new campaign, to its end."""
        say(f"1/4  starting a farm in {self._access.settings.home}")
        self._farm.start(StartNotice())
        say(f"     ready after {since_command():.1f} s; logs in {self._farm.logs}")
        for line in flower_lines(self._farm):
            say(f"     {line}")
        spec = known.spec if known else self._runnable()
        self._prove(spec)
        campaign = self._campaign(known, spec)
        watch = CampaignWatch(self._access, campaign.id, self._tend)
        ended = watch.follow()
        self._note_first_result(watch)
        _refuse_half(campaign.id, ended)
        say(f"4/4  the board, {since_command():.1f} s after the command\n")
        _show_end(self._access, campaign)
        if self._first_result_s is not None:
            say(f"first graded run after {self._first_result_s:.1f} s")
        say(f"board after {since_command():.1f} s")

    def _tend(self) -> None:
        for line in self._farm.tend():
            say(f"     {line}")

    def _runnable(self) -> CampaignSpec:
        """What the machine has toolchains for. Raises Infrastructure where that is nothing."""
        able = {
            language for worker in living_workers(self._access) for language in worker.toolchains
        }
        missing = [one for one in self._wanted.languages if one not in able]
        if missing:
            say(f"     left out, no toolchain here: {', '.join(missing)} (see `gradefarm doctor`)")
        if len(missing) == len(self._wanted.languages):
            raise Infrastructure(
                "toolchain_missing",
                "this machine has a toolchain for none of the languages.",
                remedy="`gradefarm doctor` says what to install.",
            )
        return in_languages(self._wanted, able)

    def _prove(self, spec: CampaignSpec) -> None:
        """Bring every verifier of the campaign to green, or say why it is not."""
        variants = [(task, language) for task in spec.tasks for language in spec.languages]
        say(f"2/4  proving the verifiers of {', '.join('/'.join(one) for one in variants)}")
        watches = prove(
            self._access, variants, repeats=REFERENCE_REPEATS, force=False, on_look=self._tend
        )
        for watch in watches:
            self._note_first_result(watch)
        red = [
            f"{proof.task}/{proof.language}"
            for proof in proofs_of(self._access.database, self._access.catalog, variants)
            if not proof.is_green
        ]
        if red:
            raise Infrastructure(
                "grader",
                f"these verifiers are not proved: {', '.join(red)}.",
                remedy="`gradefarm gate show` gives every reason.",
            )
        say(f"     all green{'' if watches else ' already'}")

    def _campaign(self, known: CampaignView | None, spec: CampaignSpec) -> CampaignView:
        access = self._access
        if known is None:
            started = start_campaign(
                access.database, access.catalog, spec, access.clock, unproven=False
            )
            campaign = access.campaign(started)
            say(f"3/4  campaign {campaign.id}: {campaign.total} runs")
            return campaign
        if known.state is CampaignState.PAUSED:
            resume_campaign(access.database, known.id, access.clock)
        say(f"3/4  going on with campaign {known.id}: {known.total} runs")
        return known

    def _note_first_result(self, watch: CampaignWatch) -> None:
        if self._first_result_s is None and watch.first_result_at is not None:
            ago = self._access.clock.monotonic() - watch.first_result_at
            self._first_result_s = since_command() - ago


def _refuse_half(campaign_id: str, ended: CampaignProgress) -> None:
    """Somebody else paused or cancelled it: that is no board to end with in peace."""
    if ended.ended < ended.total or ended.cancelled:
        raise Infrastructure(
            "operator",
            f"{campaign_id} was stopped from elsewhere ({ended.state.value}).",
            remedy="`gradefarm demo` goes on with a paused one and begins again after a cancel.",
        )


def since_command() -> float:
    """Seconds since this process was started."""
    return SystemClock().now() - psutil.Process().create_time()


def _show_end(access: FarmAccess, campaign: CampaignView) -> None:
    """The board, where everything is kept, and what to type next."""
    sys.stdout.write(board_text(board_of(access, [campaign])))
    settings = access.settings
    say(
        f"""
results are kept in {settings.home} (the database farm.db, the files in artifacts)
next
  gradefarm runs list --campaign {campaign.id} --verdict failed    what failed
  gradefarm runs checks 1                            what every check said of a run
  gradefarm gate show                                the proofs of the verifiers
  gradefarm campaign new my.toml                     a campaign of your own; then, with a farm
  gradefarm up                                       in another terminal (Flower is part of it)
  gradefarm campaign start my.toml --watch           run it"""
    )
