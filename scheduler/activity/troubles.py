"""What stands still, or is about to: paused campaigns, runs beyond their limits, silent workers,
queues of nobody. Pure."""

from collections.abc import Iterable, Sequence

from models.plain_text import one_line
from models.schemas.campaign import UNENDED, CampaignState
from models.schemas.campaign_activity import QueueActivity, RunInWork, Trouble, WorkerActivity
from models.schemas.campaign_progress import CampaignView
from models.schemas.lease import LeaseTerms
from models.schemas.run import Stage

SLACK_S = 30.0
"""Workspaces are made and frozen besides what the limits are for."""
BEATS_MISSED = 2
ROLE_OF = {"agent": "agent", "subject": "grade", "grade": "grade"}
"""Which role serves a queue, by the word that its name begins with."""
NO_SCHEDULER = Trouble(
    kind="farm",
    problem="no scheduler is at work",
    remedy="start a farm with `gradefarm up`, or `gradefarm scheduler`",
    lasts_s=0.0,
)


def troubles_of_campaigns(campaigns: Iterable[CampaignView]) -> list[Trouble]:
    """Campaigns that are paused, by whom ever, and those for which a step failed."""
    found: list[Trouble] = []
    for one in campaigns:
        paused = one.state is CampaignState.PAUSED
        if paused or (one.problem and one.state in UNENDED):
            problem = f"{one.id} {'is paused' if paused else 'has a problem'}"
            remedy = way_on(one) if paused else one_line(one.problem)
            found.append(Trouble(kind="farm", problem=problem, remedy=remedy, lasts_s=0.0))
    return found


def way_on(campaign: CampaignView) -> str:
    """Why the farm paused a campaign, where it did, and how to go on with it."""
    problem, resume = one_line(campaign.problem), f"gradefarm campaign resume {campaign.id}"
    if resume in problem:
        return problem
    return f"{problem}; go on with: {resume}" if problem else f"go on with: {resume}"


def troubles_of_runs(in_work: Iterable[RunInWork], terms: LeaseTerms) -> list[Trouble]:
    """Runs whose worker went silent, and runs that are beyond the limit of their stage."""
    found: list[Trouble] = []
    for run in in_work:
        if run.renewed_s_ago > BEATS_MISSED * terms.beat_s:
            found.append(_silent(run, terms))
        elif run.limit_s is not None and run.running_s > run.limit_s + SLACK_S:
            found.append(_over_limit(run, run.limit_s))
    return found


def troubles_of_queues(
    queues: Iterable[QueueActivity], workers: Sequence[WorkerActivity]
) -> list[Trouble]:
    """Queues with work to do that no living worker serves, nor makes ready to serve."""
    return [
        _unserved(queue, [one for one in workers if queue.language in one.resting])
        for queue in queues
        if queue.remaining
        and not queue.workers
        and not any(_readies(one, queue) for one in workers)
    ]


def _silent(run: RunInWork, terms: LeaseTerms) -> Trouble:
    left_s = max(0.0, terms.lease_s - run.renewed_s_ago)
    return Trouble(
        kind="lease_not_renewed",
        problem=f"run {run.run_id}: {run.worker} has not renewed its lease of the {run.stage} "
        f"stage for {run.renewed_s_ago:.0f} s",
        remedy=f"nothing: unless it does, the lease ends in {left_s:.0f} s and another tries; if "
        "it happens often, see that worker's log",
        lasts_s=run.renewed_s_ago,
        run_id=run.run_id,
    )


def _over_limit(run: RunInWork, limit_s: float) -> Trouble:
    return Trouble(
        kind="over_limit",
        problem=f"run {run.run_id}: {run.running_s:.0f} s in the {run.stage} stage on "
        f"{run.worker}, and its limits are {limit_s:.0f} s",
        remedy=f"see the lines with run {run.run_id} in the log of {run.worker}",
        lasts_s=run.running_s,
        run_id=run.run_id,
    )


def _readies(worker: WorkerActivity, queue: QueueActivity) -> bool:
    return queue.language in worker.warming and _role_of(queue) in worker.roles


def _role_of(queue: QueueActivity) -> str:
    return ROLE_OF.get(queue.queue.partition(".")[0], Stage.GRADE.value)


def _unserved(queue: QueueActivity, resting: Sequence[WorkerActivity]) -> Trouble:
    role = _role_of(queue)
    problem = f"no worker serves {queue.queue}: {queue.remaining} stages in {queue.language} wait"
    remedy = f"`gradefarm worker --role {role} --languages {queue.language}` starts one; "
    remedy += "`gradefarm doctor` says whether this machine can"
    if resting:
        names = ", ".join(one.name for one in resting)
        problem += f"; it rests on {names} after too many voids in a row"
        remedy = f"see stage_void in the log of {names}; it is tried again by itself"
    return Trouble(
        kind="queue_not_served",
        problem=problem,
        remedy=remedy,
        lasts_s=queue.oldest_queued_s or 0.0,
        queue=queue.queue,
    )
