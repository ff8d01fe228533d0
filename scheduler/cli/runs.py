"""`gradefarm runs`: open single runs, down to the raw output of one check."""

from collections.abc import Sequence
from typing import Annotated

import typer

from models.clock import as_iso
from models.errors import NotFound
from models.interchange.told_session import of_run
from models.plain_text import one_line, printable
from models.schemas.budget import Resource, amount_text
from models.schemas.campaign_progress import CampaignView
from models.schemas.check_report import CheckEvidence, CheckResult
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import AttemptView, RunView
from models.verdicts import BLAMED, Verdict
from scheduler.boards.reply_text import run_replies_text, solved_text
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.session_export import (
    ContentFlag,
    FormatOption,
    OutputOption,
    export_session,
)
from scheduler.cli.step_text import print_step
from scheduler.cli.text_tables import columns, print_json
from scheduler.farm_access.farm import Farm

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Open single runs: their attempts, what the system did, what each check said.",
)

RunNumber = Annotated[int, typer.Argument(metavar="RUN", help="A run's number.", min=1)]
WIDEST_OUTPUT = 4_000
"""More than what a report holds inline: what is cut can be read whole in the artifact."""


@app.command("list")
def list_them(
    *,
    campaign: Annotated[
        str | None, typer.Option(help="Runs of this campaign; else the newest.")
    ] = None,
    system: Annotated[str | None, typer.Option(help="Runs of this system (its name).")] = None,
    task: Annotated[str | None, typer.Option(help="Runs on this task.")] = None,
    language: Annotated[str | None, typer.Option(help="Runs in this language.")] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="Runs with this verdict.")] = None,
    state: Annotated[RunState | None, typer.Option(help="Runs in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    after: Annotated[int, typer.Option(min=0, help="Go on after this run (see next).")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Runs of one campaign, by cell and repeat.

    \b
      gradefarm runs list --verdict void
      gradefarm runs list --campaign demo-1 --system coin-60 --language go --verdict failed
      gradefarm runs list --limit 50 --after 150 --json
    """
    farm = open_farm()
    listed = farm.campaigns.find(campaign)
    _refuse_unknown(listed, system=system, task=task, language=language)
    wanted = RunFilter(
        campaign_id=listed.id,
        state=state,
        verdict=verdict,
        system=system,
        task=task,
        language=language,
    )
    found = farm.runs.listed(wanted, limit=limit, after=after)
    following = found[-1].id if len(found) == limit else None
    if as_json:
        print_json({"campaign": listed.id, "runs": found, "next": following})
        return
    newest = "" if campaign else ", the newest campaign; --campaign chooses another"
    print(f"runs of {listed.id}{newest}")
    head = ("run", "campaign", "what", "state", "result", "stop", "worker")
    print(columns(head, [_row(run) for run in found]))
    if following is not None:
        print(f"more with: --after {following}")


def _refuse_unknown(
    campaign: CampaignView, *, system: str | None, task: str | None, language: str | None
) -> None:
    """Raises NotFound, naming the known ones, for a name that the campaign does not have."""
    spec = campaign.spec
    asked = (
        ("system", system, tuple(one.name for one in spec.systems)),
        ("task", task, spec.tasks),
        ("language", language, spec.languages),
    )
    for what, name, known in asked:
        if name is not None and name not in known:
            raise NotFound(
                f"{campaign.id} has no {what} {name}.",
                remedy=f"It has {', '.join(known)}; --campaign names another campaign.",
            )


def _row(run: RunView) -> tuple[object, ...]:
    stop = run.stop_reason.value if run.stop_reason else ""
    return (run.id, run.campaign_id, run.label, run.state.value, result_of(run), stop, run.worker)


def result_of(run: RunView) -> str:
    """The verdict with what belongs to it: the reason of a void, a delivery that is missing."""
    if run.void_category is not None:
        return f"void: {run.void_category.value}"
    if run.verdict is None:
        return ""
    return run.verdict.value + (" (undelivered)" if run.undelivered else "")


@app.command()
def show(run: RunNumber, *, as_json: JsonFlag = False) -> None:
    """One run with every attempt that was made.

    \b
      gradefarm runs show 42
    """
    details = open_farm().runs.opened(run)
    if as_json:
        print_json(details)
        return
    found, attempts, source = details.run, details.attempts, details.source_run
    print(one_line(f"run {found.id}  {found.label}  of {found.campaign_id}"))
    print(f"  state      {found.state.value}  {result_of(found)}")
    if found.blamed:
        print(f"  blamed     {found.blamed.value}")
    print(f"  agent      {found.agent}, system {found.system_id}")
    print(f"  universe   {found.universe}")
    print(f"  snapshot   {found.snapshot or 'none yet'}")
    print(
        f"  record     {found.record.value}{f' {found.record_digest}' * bool(found.record_digest)}"
    )
    if source is not None:
        print(f"  regrades   run {source}, where its agent stage is")
    if details.replies is not None:
        print(f"  replies    {run_replies_text(details.replies)}")
        print(f"  visible    {solved_text(details.replies)}")
    if any(attempt.tokens or attempt.cost_microusd for attempt in attempts):
        print(f"  used       {_used(attempts)}")
    print()
    head = ("attempt", "stage", "ending", "why", "began", "wall s", "cpu s", "worker", "toolchain")
    print(columns(head, [_attempt_row(attempt) for attempt in attempts]))
    for attempt in attempts:
        if attempt.detail:
            print(f"  {attempt.stage.value} {attempt.number}: {one_line(attempt.detail)}")
    print(f"\nmore: gradefarm runs checks {run}; gradefarm runs transcript {run}")


def _used(attempts: Sequence[AttemptView]) -> str:
    """What all attempts together used of what costs money."""
    tokens = sum(attempt.tokens or 0 for attempt in attempts)
    cost = sum(attempt.cost_microusd or 0 for attempt in attempts)
    return f"{amount_text(Resource.TOKENS, tokens)}, {amount_text(Resource.COST, cost)}"


def _attempt_row(attempt: AttemptView) -> tuple[object, ...]:
    return (
        attempt.number,
        attempt.stage.value,
        attempt.ending.value,
        _why(attempt),
        as_iso(attempt.started_at),
        _seconds(attempt.wall_s),
        _seconds(attempt.cpu_s),
        attempt.worker,
        attempt.toolchain,
    )


def _why(attempt: AttemptView) -> str:
    """Why an attempt ended; what does not count, with the part of the farm that is blamed."""
    if attempt.category is not None:
        return f"{attempt.category.value} (blamed: {BLAMED[attempt.category].value})"
    return attempt.stop_reason.value if attempt.stop_reason else ""


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


@app.command()
def checks(
    run: RunNumber,
    *,
    output: Annotated[
        bool,
        typer.Option("--output", help="Also raw output, and what was expected instead."),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """What every check said of one run, with the evidence that it ran.

    Of a farm elsewhere, what hidden checks and the build printed is for the role admin alone:
    with another, --output is refused, and --json leaves it empty.

    \b
      gradefarm runs checks 42
      gradefarm runs checks 42 --output
      gradefarm runs checks 42 --json
    """
    farm = open_farm()
    report = farm.runs.report(run)
    # Before anything is shown: who may not know the answers is refused here.
    expected = farm.outputs.expected(run) if output else {}
    if as_json:
        print_json(report)
        return
    print(one_line(f"run {run}  {report.task}/{report.language}  universe {report.universe}"))
    print(f"build: {'not needed' if not report.build.needed else report.build.outcome.value}")
    head = ("check", "outcome", "ending", "exit", "wall s", "cpu s", "difference")
    print(columns(head, [_check_row(check) for check in report.checks]))
    if output:
        if not report.build.ok:
            _print_output(farm, "build", report.build.evidence)
        for check in report.checks:
            if check.id in report.failing():
                _print_text(f"{check.id} expected", expected.get(check.id, ""))
                _print_output(farm, check.id, check.evidence)


def _check_row(check: CheckResult) -> tuple[object, ...]:
    seen = check.evidence
    if seen is None:
        return (check.id, check.outcome.value, "", "", "", "", "")
    exit_shown = f"signal {seen.signal}" if seen.signal is not None else seen.exit_code
    return (
        check.id,
        check.outcome.value,
        seen.ending,
        exit_shown,
        f"{seen.wall_s:.2f}",
        f"{seen.cpu_s:.2f}",
        seen.difference.replace("\n", " ")[:100],
    )


def _print_output(farm: Farm, what: str, seen: CheckEvidence | None) -> None:
    if seen is None:
        return
    kept = (("stdout", seen.stdout_text, seen.stdout), ("stderr", seen.stderr_text, seen.stderr))
    for name, text, digest in kept:
        # Short output is in the report, long output an artifact of its own.
        shown = farm.outputs.artifact(digest).decode(errors="replace") if digest else text
        _print_text(f"{what} {name}", shown, f": artifact {digest}")


def _print_text(title: str, text: str, whole: str = "") -> None:
    """Nothing where there is no text; `whole` says where the rest of a long one is."""
    if not text:
        return
    print(f"\n--- {title}")
    print(printable(text[:WIDEST_OUTPUT]))
    if len(text) > WIDEST_OUTPUT:
        print(f"... {len(text) - WIDEST_OUTPUT} more characters{whole}")


@app.command()
def transcript(
    run: RunNumber,
    *,
    attempt: Annotated[
        int | None, typer.Option(min=1, help="Which agent attempt; the last that has one.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """What the system did in one run, step by step.

    \b
      gradefarm runs transcript 42
      gradefarm runs transcript 42 --attempt 1 --json
    """
    told = open_farm().runs.transcript(run, attempt)
    if as_json:
        print_json(told)
        return
    print(one_line(f"run {run}  {told.system} ({told.agent}) on {told.task}/{told.language}"))
    for step in told.steps:
        print_step(step)
    print(f"stopped: {told.stop_reason.value}")


@app.command()
def export(
    run: RunNumber,
    *,
    chosen: FormatOption,
    attempt: Annotated[
        int | None, typer.Option(min=1, help="Which agent attempt; the last that has one.")
    ] = None,
    content: ContentFlag = False,
    output: OutputOption = None,
) -> None:
    """What the system did in one run as an ATIF document, or as OpenTelemetry's spans.

    \b
      gradefarm runs export 42 --format atif
      gradefarm runs export 42 --format otel --content --output spans.json
    """
    runs = open_farm().runs
    details, told = runs.opened(run), runs.transcript(run, attempt)
    worked = runs.opened(told.run_id) if told.run_id != run else details
    tried = next(
        one
        for one in worked.attempts
        if one.stage is Stage.AGENT and one.number == told.attempt_number
    )
    export_session(of_run(details.run, tried, told), chosen, output, content=content)
