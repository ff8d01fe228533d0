"""What happens in campaigns right now: one look, as a terminal, a program and the API get it."""

from typing import Literal

from models.schemas.base import Schema
from models.schemas.campaign_progress import CampaignProgress
from models.schemas.run import Stage
from models.schemas.worker import WorkerState
from models.verdicts import Component, VoidCategory


class RunInWork(Schema):
    """One stage of a run that a worker holds. Seconds, but `since` in epoch seconds.

    `limit_s` is what the stage may take by its limits; None where that is not known here.
    `renewed_s_ago` is how long ago the lease was last renewed.
    """

    run_id: int
    campaign_id: str
    stage: Stage
    label: str
    language: str
    attempt: int
    worker: str
    since: float
    running_s: float
    limit_s: float | None
    renewed_s_ago: float


class QueueActivity(Schema):
    """One queue, as far as the campaigns of the look pass through it.

    `remaining` stages are still to be done, those on their way (`queued`: a message waits for a
    worker, `leased`: at work) included; `oldest_queued_s` is how long the oldest message waits.
    `done_per_s` (stages that ended well in a second) and `mean_s` (what one took) are of late;
    None without evidence. `slots` are of living workers that serve the queue.
    """

    queue: str
    stage: Stage
    language: str
    remaining: int
    queued: int
    leased: int
    oldest_queued_s: float | None
    done_per_s: float | None
    mean_s: float | None
    workers: int
    slots: int


class WorkerActivity(Schema):
    """One worker that gave a sign of life a short while ago, and all that it does.

    `reason` says why it does not simply serve; `warming` languages are being made ready, `resting`
    ones are not served for a while.
    """

    name: str
    roles: tuple[str, ...]
    slots: int
    state: WorkerState
    reason: str
    languages: tuple[str, ...]
    warming: tuple[str, ...]
    resting: tuple[str, ...]
    beat_s_ago: float
    busy: tuple[RunInWork, ...]


class VoidReason(Schema):
    """Attempts that the farm spoiled for one reason, and the runs that ended void for it.

    `newest_*` tell of the newest such attempt; `newest_at` in epoch seconds.
    """

    category: VoidCategory
    component: Component
    attempts: int
    runs: int
    newest_run: int | None
    newest_at: float | None
    newest_detail: str


class TimeLeft(Schema):
    """Seconds until every run has ended, as a range; where it is not known, `why` says why.

    No `high_s`: there is too little evidence for an upper end.
    """

    low_s: float | None = None
    high_s: float | None = None
    why: str = ""


class Trouble(Schema):
    """Something that stands still, or is about to: what, for how many seconds, what to do.

    Of a run (`run_id`) or of a queue.
    """

    kind: Literal["over_limit", "lease_not_renewed", "queue_not_served", "farm"]
    problem: str
    remedy: str
    lasts_s: float
    run_id: int | None = None
    queue: str | None = None


class CampaignActivity(Schema):
    """One look at one campaign, or at several as if they were one. `at` in epoch seconds.

    What was spent stands in `progress`.

    `is_gate`: all of them prove verifiers. It `lasts_s` seconds since the first was started.
    `recent_per_s` and `overall_per_s`: graded runs in a second, of late and since then (pauses
    included); None without evidence. `slowest`: runs in work, the longest first.
    """

    at: float
    campaign_ids: tuple[str, ...]
    progress: CampaignProgress
    is_gate: bool
    lasts_s: float
    recent_per_s: float | None
    overall_per_s: float | None
    time_left: TimeLeft
    queues: tuple[QueueActivity, ...]
    voids: tuple[VoidReason, ...]
    slowest: tuple[RunInWork, ...]
    troubles: tuple[Trouble, ...]
    workers: tuple[WorkerActivity, ...]
