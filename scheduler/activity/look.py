"""One look at what happens in campaigns: reads the rows once, and composes what they say."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from models.clock import Clock
from models.schemas.campaign import CampaignKind
from models.schemas.campaign_activity import (
    CampaignActivity,
    QueueActivity,
    RunInWork,
    Trouble,
    VoidReason,
    WorkerActivity,
)
from models.schemas.campaign_progress import CampaignProgress
from models.schemas.lease import LeaseTerms
from models.schemas.worker import PRESUMED_DEAD_S, WorkerRecord
from models.storage.activity import (
    LeasedRun,
    QueueLoad,
    RecentAttempt,
    leased_runs,
    queue_loads,
    recent_attempts,
)
from models.storage.attempt_tallies import SpoiledAttempts, spoiled_attempts
from models.storage.campaigns import campaign_progress, find_campaign
from models.storage.elections import office_holder
from models.storage.transaction import Database
from models.storage.workers import list_workers
from models.verdicts import BLAMED, VoidCategory
from scheduler.activity.joined import joined_progress
from scheduler.activity.stage_limits import StageLimits
from scheduler.activity.throughput import NOTHING_KNOWN, Throughput, throughput_of
from scheduler.activity.time_left import time_left
from scheduler.activity.troubles import (
    NO_SCHEDULER,
    troubles_of_campaigns,
    troubles_of_queues,
    troubles_of_runs,
)
from tasks_catalog.catalog import Catalog

SLOWEST = 5


@dataclass(frozen=True)
class _Rows:
    """What one transaction read."""

    progress: CampaignProgress
    stopped: list[Trouble]
    is_gate: bool
    begun_at: float
    ended_at: float | None
    loads: list[QueueLoad]
    leased: list[LeasedRun]
    recent: list[RecentAttempt]
    spoiled: list[SpoiledAttempts]
    workers: list[WorkerRecord]
    scheduled: bool


class ActivityLooks:
    """Looks at campaigns of one farm. A look costs the same for a hundred runs and a million."""

    def __init__(
        self, database: Database, catalog: Catalog, terms: LeaseTerms, clock: Clock
    ) -> None:
        self._database = database
        self._limits = StageLimits(catalog)
        self._terms = terms
        self._clock = clock

    def look(self, campaign_ids: Sequence[str]) -> CampaignActivity:
        """What happens in these campaigns now. Raises NotFound."""
        now = self._clock.now()
        with self._database.read() as session:
            rows = _read(session, tuple(campaign_ids), now)
        over = rows.progress.ended >= rows.progress.total
        in_work = [self._in_work(run, now) for run in rows.leased]
        pace = NOTHING_KNOWN if over else throughput_of(rows.recent, now)
        workers = _workers(rows.workers, in_work, now)
        queues = [_queue(load, pace, rows.workers, now) for load in rows.loads]
        ours = [run for run in in_work if run.campaign_id in campaign_ids]
        unserved = troubles_of_queues(queues, workers)
        lonely = [] if rows.scheduled or over else [NO_SCHEDULER]
        waits_for = [trouble.queue for trouble in unserved if trouble.queue]
        return CampaignActivity(
            at=now,
            campaign_ids=tuple(campaign_ids),
            progress=rows.progress,
            is_gate=rows.is_gate,
            lasts_s=max(0.0, (now if rows.ended_at is None else rows.ended_at) - rows.begun_at),
            recent_per_s=_graded_per_s(queues),
            overall_per_s=_overall(rows, now),
            time_left=time_left(rows.progress.state, rows.loads, pace, waits_for),
            queues=tuple(queues),
            voids=_voids(rows.spoiled, rows.progress.voids),
            slowest=tuple(sorted(ours, key=lambda run: -run.running_s)[:SLOWEST]),
            troubles=(*rows.stopped, *lonely, *unserved, *troubles_of_runs(ours, self._terms)),
            workers=workers,
        )

    def _in_work(self, run: LeasedRun, now: float) -> RunInWork:
        renewed_s_ago = now - (run.lease_until - self._terms.lease_s)
        return RunInWork(
            run_id=run.run_id,
            campaign_id=run.campaign_id,
            stage=run.stage,
            label=run.label,
            language=run.language,
            attempt=run.attempt,
            worker=run.worker,
            since=run.started_at,
            running_s=max(0.0, now - run.started_at),
            limit_s=self._limits.of(run.stage, run.task, run.language, run.limits),
            renewed_s_ago=max(0.0, renewed_s_ago),
        )


def _read(session: Session, campaign_ids: tuple[str, ...], now: float) -> _Rows:
    campaigns = [find_campaign(session, one) for one in campaign_ids]
    ends = [one.ended_at for one in campaigns]
    heard = list_workers(session, since=now - PRESUMED_DEAD_S)
    return _Rows(
        progress=joined_progress([campaign_progress(session, one) for one in campaign_ids]),
        stopped=troubles_of_campaigns(campaigns),
        is_gate=all(one.kind is CampaignKind.GATE for one in campaigns),
        begun_at=min(one.created_at for one in campaigns),
        ended_at=None if None in ends else max(end for end in ends if end is not None),
        loads=queue_loads(session, campaign_ids),
        leased=leased_runs(session),
        recent=recent_attempts(session, campaign_ids),
        spoiled=spoiled_attempts(session, campaign_ids),
        # One that beat in the future beat before the clock was stepped back.
        workers=[one for one in heard if one.beat_at <= now + PRESUMED_DEAD_S],
        scheduled=office_holder(session, now) is not None,
    )


def _workers(
    living: Sequence[WorkerRecord], in_work: Sequence[RunInWork], now: float
) -> tuple[WorkerActivity, ...]:
    busy: defaultdict[str, list[RunInWork]] = defaultdict(list)
    for run in in_work:
        busy[run.worker].append(run)
    return tuple(
        WorkerActivity(
            name=one.name,
            roles=one.roles,
            slots=one.slots,
            state=one.state(len(busy[one.name])),
            reason=_reason(one),
            languages=tuple(sorted(one.toolchains)),
            warming=one.warming,
            resting=one.resting,
            beat_s_ago=max(0.0, now - one.beat_at),
            busy=tuple(sorted(busy[one.name], key=lambda run: run.since)),
        )
        for one in living
    )


def _reason(worker: WorkerRecord) -> str:
    """Why a worker does not simply serve: what it was told, else why languages rest."""
    if worker.orders.reason:
        return worker.orders.reason
    return "; ".join(f"{rest.language}: {rest.category}: {rest.detail}" for rest in worker.rests)


def _queue(
    load: QueueLoad, pace: Throughput, workers: Sequence[WorkerRecord], now: float
) -> QueueActivity:
    serving = [one for one in workers if load.name in one.queues]
    return QueueActivity(
        queue=load.name,
        stage=load.stage,
        language=load.name.partition(".")[2],
        remaining=load.remaining,
        queued=load.queued,
        leased=load.leased,
        oldest_queued_s=None if load.queued_since is None else max(0.0, now - load.queued_since),
        done_per_s=pace.per_s(load.pk),
        mean_s=pace.mean_s.get(load.pk),
        workers=len(serving),
        slots=sum(one.slots for one in serving),
    )


def _graded_per_s(queues: Sequence[QueueActivity]) -> float | None:
    """Stages of the grade queues: what ends well there is a run that has ended."""
    rates = [one.done_per_s for one in queues if one.stage == "grade" and one.done_per_s]
    return sum(rates) if rates else None


def _overall(rows: _Rows, now: float) -> float | None:
    lasted = (now if rows.ended_at is None else rows.ended_at) - rows.begun_at
    graded = rows.progress.graded
    return graded / lasted if graded and lasted > 0 else None


def _voids(
    spoiled: Sequence[SpoiledAttempts], void_runs: Mapping[str, int]
) -> tuple[VoidReason, ...]:
    """By reason, the most frequent first. A farm that was upgraded may know of runs alone."""
    by_category = {one.category: one for one in spoiled}
    runs = Counter({VoidCategory(name): count for name, count in void_runs.items()})
    found: list[VoidReason] = []
    for category in by_category.keys() | runs.keys():
        known = by_category.get(category)
        found.append(
            VoidReason(
                category=category,
                component=BLAMED[category],
                attempts=known.attempts if known else 0,
                runs=runs[category],
                newest_run=known.newest_run if known else None,
                newest_at=known.newest_at if known else None,
                newest_detail=known.newest_detail if known else "",
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.runs, -one.attempts, one.category)))
