"""All rows and artifacts after a storm: is every run there, counted once, and right?"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row, func, select

from models.errors import FarmError
from models.schemas.campaign import CampaignState, ScoringPolicy
from models.schemas.run import RunState, Stage
from models.storage.artifact_opening import open_artifacts
from models.storage.tallies import CANCELLED, graded_ending, void_ending
from models.storage.transaction import Database
from models.tables.attempts import AttemptRow
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow, CellTallyRow
from models.tables.check_reports import CheckReportRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow
from models.verdicts import AttemptEnding
from tests.chaos.accounts import unsettled
from tests.chaos.limits import limits_broken
from tests.chaos.planted_systems import PLANTED
from tests.chaos.shell_catalog import CHECK

RUNS = (
    select(
        RunRow.id,
        RunRow.cell_pk,
        RunRow.state,
        RunRow.snapshot,
        RunRow.agent_tries,
        RunRow.grade_tries,
        RunRow.void_category,
        SystemRow.name,
        CampaignRow.state.label("campaign"),
    )
    .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
    .join(CellRow, CellRow.pk == RunRow.cell_pk)
    .join(SystemRow, SystemRow.pk == CellRow.system_pk)
)
ATTEMPTS = select(AttemptRow.__table__)
REPORTS = select(CheckReportRow.__table__)
MOST_TRIES = ScoringPolicy().max_attempts


@dataclass
class Ledger:
    """What was found: each entry of a list is one sentence about one run; all should be empty."""

    runs: int = 0
    cancelled: int = 0
    set_aside: int = 0
    """Runs that are void, since faults hit every try that one of their stages had."""
    attempts: list[Row[Any]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    unkept: list[str] = field(default_factory=list)
    """What the books say otherwise, and limits that were not kept."""

    @property
    def endings(self) -> Counter[str]:
        """How many attempts ended which way, with the category."""
        return Counter(
            f"{each.ending}{f' ({each.category})' if each.category else ''}"
            for each in self.attempts
        )


def read_ledger(database: Database, artifacts_url: str) -> Ledger:
    """All that rows and artifacts say."""
    ledger = Ledger()
    with database.read() as session:
        runs = session.execute(RUNS).all()
        ledger.attempts = list(session.execute(ATTEMPTS.order_by(AttemptRow.id)).all())
        reports = session.execute(REPORTS).all()
        tallies = session.execute(select(CellTallyRow.__table__)).all()
        planned = session.execute(select(func.sum(CampaignRow.total))).scalar_one()
        ledger.unkept += unsettled(session, ledger.attempts)
        ledger.unkept += limits_broken(ledger.attempts, {run.id: run.name for run in runs})
    ledger.runs = len(runs)
    ledger.cancelled = sum(run.state is RunState.CANCELLED for run in runs)
    ledger.set_aside = sum(run.state is RunState.VOID for run in runs)
    if len(runs) != planned:
        ledger.lost.append(f"{planned} runs were planned, {len(runs)} are there")
    of_run: defaultdict[int, list[Row[Any]]] = defaultdict(list)
    for attempt in ledger.attempts:
        of_run[attempt.run_id].append(attempt)
    report_of = {report.run_id: report for report in reports}
    for run in runs:
        _check_run(ledger, run, of_run[run.id], report_of.get(run.id))
    _check_tallies(ledger, runs, report_of, tallies)
    _check_artifacts(ledger, runs, reports, artifacts_url)
    return ledger


def _check_run(ledger: Ledger, run: Row[Any], attempts: list[Row[Any]], report: Any) -> None:
    name = f"run {run.id} of {run.name}"
    if run.state is RunState.CANCELLED and run.campaign is CampaignState.CANCELLED:
        _check_unjudged(ledger, name, attempts, report)
        return
    if run.state is RunState.VOID and max(run.agent_tries, run.grade_tries) == MOST_TRIES:
        _check_unjudged(ledger, name, attempts, report)
        return
    if run.state is not RunState.GRADED or report is None:
        ledger.lost.append(f"{name} is {run.state}, {'with' if report else 'without'} a result")
        return
    done = {stage: _done(attempts, stage) for stage in Stage}
    ledger.twice += [
        f"{name}: {len(ok)} attempts of the {stage} stage count"
        for stage, ok in done.items()
        if len(ok) > 1
    ]
    ledger.broken += [f"{name}: no {stage} attempt is ok" for stage, ok in done.items() if not ok]
    ledger.broken += [
        f"{name}: attempt {each.id} is still running"
        for each in attempts
        if each.ending is AttemptEnding.RUNNING
    ]
    if all(done.values()):
        frozen_at = done[Stage.AGENT][0].ended_at
        if any(a.stage is Stage.AGENT and a.started_at > frozen_at for a in attempts):
            ledger.twice.append(f"{name}: its system worked again after the freeze")
        if report.attempt_id != done[Stage.GRADE][0].id:
            ledger.broken.append(f"{name}: the result is not of the attempt that is ok")
        if run.snapshot != done[Stage.AGENT][0].snapshot:
            ledger.broken.append(f"{name}: what was graded is not what its attempt left")
    _check_verdict(ledger, name, PLANTED[run.name], report)


def _check_unjudged(ledger: Ledger, name: str, attempts: list[Row[Any]], report: Any) -> None:
    """It has ended without a result, and nobody works on it."""
    if report is not None:
        ledger.twice.append(f"{name} is void or cancelled, with a result")
    if any(each.ending is AttemptEnding.RUNNING for each in attempts):
        ledger.broken.append(f"{name} is void or cancelled, and an attempt still running")


def _done(attempts: list[Row[Any]], stage: Stage) -> list[Row[Any]]:
    return [a for a in attempts if a.stage is stage and a.ending is AttemptEnding.OK]


def _check_verdict(ledger: Ledger, name: str, planted: Any, report: Any) -> None:
    outcomes = f'[["{CHECK}","{planted.outcome}"]]'
    expected = (planted.verdict, planted.undelivered, outcomes)
    found = (report.verdict, report.undelivered, report.outcomes)
    if found != expected:
        ledger.wrong.append(f"{name} (attempt {report.attempt_id}) is {found}, not {expected}")


def _check_tallies(ledger: Ledger, runs: Any, report_of: dict[int, Any], tallies: Any) -> None:
    counted = Counter(
        (run.cell_pk, str(graded_ending(report.verdict, report.undelivered)))
        for run in runs
        if (report := report_of.get(run.id)) is not None
    )
    counted += Counter((run.cell_pk, CANCELLED) for run in runs if run.state is RunState.CANCELLED)
    counted += Counter(
        (run.cell_pk, void_ending(run.void_category)) for run in runs if run.state is RunState.VOID
    )
    kept = Counter({(row.cell_pk, str(row.ending)): row.runs for row in tallies if row.runs})
    for key in counted.keys() | kept.keys():
        if counted[key] != kept[key]:
            ledger.broken.append(f"cell {key}: {counted[key]} results, tally {kept[key]}")


def _check_artifacts(ledger: Ledger, runs: Any, reports: Any, url: str) -> None:
    """Every artifact that a row names is there, and its bytes have its name."""
    store = open_artifacts(url)
    named = {run.snapshot for run in runs} | {report.report for report in reports}
    for attempt in ledger.attempts:
        named |= {attempt.snapshot, attempt.transcript}
    for digest in named - {None}:
        try:
            store.open(digest).close()
        except FarmError as error:
            ledger.broken.append(str(error))
