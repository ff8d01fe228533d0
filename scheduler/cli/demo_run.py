"""What the demo does once its farm runs: prove, run, show."""

import sys

import psutil

from models.clock import SystemClock
from models.counted_nouns import counted
from models.errors import Infrastructure, Refused
from models.schemas.campaign import CampaignKind, CampaignSpec, CampaignState
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from models.schemas.gate import REFERENCE_REPEATS
from models.schemas.run_filter import RunFilter
from models.storage.campaigns import unended_campaigns
from models.verdicts import Verdict
from scheduler.cli.board import board_text
from scheduler.cli.demo_campaign import DEMO_NAME, begun_demo, demo_spec, in_languages
from scheduler.cli.demo_wish import DemoWish
from scheduler.cli.farm_access import open_local_farm
from scheduler.cli.proving import follow_gates, settled_plan
from scheduler.cli.up import flower_lines, say
from scheduler.cli.watching import CampaignWatch
from scheduler.embedded_farm.farm import EmbeddedFarm
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.farm_access.worker_service import ROLES, served_languages
from scheduler.gate_campaigns import proofs_of

WORKERS_EVERY_S = 2.0


def show_finished(wish: DemoWish) -> bool:
    """Show the board of the demo that is finished already; False where none is."""
    access = open_local_farm()
    if wish.fresh:
        return False
    known = begun_demo(access, demo_spec(access, wish), any_languages=not wish.languages)
    if known is None or known.state is not CampaignState.FINISHED:
        return False
    say(f"{known.id} is finished already; `gradefarm demo --fresh` starts another\n")
    show_end(access, known)
    return True


class DemoRun:
    """One demo in one farm that is ready."""

    def __init__(self, farm: EmbeddedFarm, wish: DemoWish) -> None:
        self._access = open_local_farm()
        self._farm = farm
        self._wish = wish
        self._first_result_s: float | None = None
        self._languages: tuple[str, ...] = ()
        self._look_at_workers_at = 0.0

    def run(self) -> None:
        """Bring the campaign that was begun before, or a new one, to its board."""
        say(f"     ready after {since_command():.1f} s; logs in {self._farm.logs}")
        for line in flower_lines(self._farm):
            say(f"     {line}")
        while (campaign := self._try()) is None:
            pass
        took_s = since_command()
        say(f"4/4  the board, {took_s:.1f} s after the command\n")
        show_end(self._access, campaign)
        if self._first_result_s is not None:
            say(f"first graded run after {self._first_result_s:.1f} s")
        say(f"board after {took_s:.1f} s")

    def _try(self) -> CampaignView | None:
        """The finished campaign; None where a language turned out not to work on this machine."""
        spec = self._runnable()
        self._languages = spec.languages
        try:
            self._prove(spec)
            campaign = self._campaign(spec)
            watch = CampaignWatch(self._access, campaign.id, self._tend)
            ended = watch.follow(until_settled=True)
        except _LanguagesLost as lost:
            say(f"     can't be made ready here: {', '.join(lost.languages)}")
            self._cancel_waiting(lost.languages)
            return None
        self._note_first_result(watch)
        _refuse_half(campaign.id, ended)
        return campaign

    def _tend(self) -> None:
        """Tend the farm; raises _LanguagesLost once no worker will serve a language any more."""
        for line in self._farm.tend():
            say(f"     {line}")
        now = self._access.clock.monotonic()
        if now < self._look_at_workers_at:
            return
        self._look_at_workers_at = now + WORKERS_EVERY_S
        workers = self._access.workers.living()
        if {role for worker in workers for role in worker.roles} != set(ROLES):
            return
        served = served_languages(workers)
        if lost := [language for language in self._languages if language not in served]:
            raise _LanguagesLost(lost)

    def _cancel_waiting(self, lost: list[str]) -> None:
        """The gates and demos that would wait for ever for a language that nobody serves."""
        access = self._access
        with access.database.read() as session:
            unfinished = unended_campaigns(session)
        for campaign in unfinished:
            own = campaign.kind is CampaignKind.GATE or campaign.spec.name == DEMO_NAME
            if own and set(lost) & set(campaign.spec.languages):
                access.steering.cancel(campaign.id)

    def _runnable(self) -> CampaignSpec:
        """What the machine has toolchains for. Raises Infrastructure where that is nothing."""
        wanted = demo_spec(self._access, self._wish)
        able = served_languages(self._access.workers.living())
        missing = [one for one in wanted.languages if one not in able]
        if missing:
            say(f"     left out, no toolchain here: {', '.join(missing)} (see `gradefarm doctor`)")
        if len(missing) == len(wanted.languages):
            raise Infrastructure(
                "toolchain_missing",
                "this machine has a toolchain for none of the languages.",
                remedy="`gradefarm doctor` says what to install.",
            )
        return in_languages(wanted, able)

    def _prove(self, spec: CampaignSpec) -> None:
        """Bring every verifier of the campaign to green, or say why it is not."""
        variants = [(task, language) for task in spec.tasks for language in spec.languages]
        say(f"2/4  proving the verifiers of {', '.join('/'.join(one) for one in variants)}")
        proving = self._access.proving
        plan = settled_plan(
            lambda: proving.plan_variants(variants, repeats=REFERENCE_REPEATS, force=False),
            self._tend,
        )
        if plan.to_prove:
            begun = proving.begin_plan(plan)
            self._note_first_result(follow_gates(self._access, begun, on_look=self._tend))
        red = [
            f"{proof.task}/{proof.language}"
            for proof in proofs_of(self._access.database, self._access.catalog, variants)
            if not proof.is_green
        ]
        if red:
            raise Refused(
                f"these verifiers are not proved: {', '.join(red)}.",
                remedy="`gradefarm gate show` gives every reason.",
            )
        say(f"     all green{'' if plan.to_prove else ' already'}")

    def _campaign(self, spec: CampaignSpec) -> CampaignView:
        access = self._access
        known = None if self._wish.fresh else begun_demo(access, spec, any_languages=False)
        if known is None:
            campaign = access.steering.start(spec, unproven=False)
            say(f"3/4  campaign {campaign.id}: {counted(campaign.total, 'run')}")
            return campaign
        if known.state is CampaignState.PAUSED:
            access.steering.resume(known.id)
        say(f"3/4  going on with campaign {known.id}: {counted(known.total, 'run')}")
        return known

    def _note_first_result(self, watch: CampaignWatch) -> None:
        if self._first_result_s is None and watch.first_result_at is not None:
            ago = self._access.clock.monotonic() - watch.first_result_at
            self._first_result_s = since_command() - ago


class _LanguagesLost(Exception):
    """Nobody will serve these languages any more."""

    def __init__(self, languages: list[str]) -> None:
        super().__init__(", ".join(languages))
        self.languages = languages


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


def show_end(access: LocalFarm, campaign: CampaignView) -> None:
    """The board, where everything is kept, and what to type next."""
    sys.stdout.write(board_text(access.boards.board([campaign.id])))
    home = access.settings.home
    failed = RunFilter(campaign_id=campaign.id, verdict=Verdict.FAILED)
    example = next((run.id for run in access.runs.listed(failed, limit=1)), 1)
    rows = [
        (f"gradefarm runs list --campaign {campaign.id} --verdict failed", "what failed"),
        (f"gradefarm runs checks {example}", "what every check said of one of these"),
        ("gradefarm gate show", "the proofs of the verifiers"),
        ("gradefarm up", "a farm to use, in another terminal; with Flower"),
        ("gradefarm campaign new my.toml", "a campaign of your own"),
        ("gradefarm campaign start my.toml --watch", "run it"),
    ]
    width = max(len(command) for command, _ in rows)
    say(f"results are kept in {home}: the database farm.db, the files in artifacts")
    say("next")
    for command, what in rows:
        say(f"  {command:<{width}}  {what}")
