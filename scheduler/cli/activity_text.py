"""One look at a campaign as a block of lines: stages, pace, voids, spend, who does what. Pure."""

from collections.abc import Iterable, Iterator

from models.counted_nouns import counted
from models.plain_text import one_line
from models.schemas.campaign_activity import (
    CampaignActivity,
    RunInWork,
    VoidReason,
    WorkerActivity,
)
from models.schemas.campaign_progress import CampaignProgress
from models.schemas.worker import WorkerState
from scheduler.cli.progress_text import bar, duration_text, pace_text, results_text, spend_lines

SHOWN_TROUBLES = 6
SHOWN_BUSY = 3
"""Of each worker so many runs; the rest is counted."""


def activity_lines(activity: CampaignActivity) -> list[str]:
    """All that a look tells, one fact a line, the most urgent first. Lines may be long."""
    progress = activity.progress
    lines = [
        f"{progress.campaign_id}  {progress.state.value}  {duration_text(activity.lasts_s)}",
        *_stages(progress),
        f"  {results_text(progress, gate=activity.is_gate)}",
    ]
    if pace := pace_text(activity):
        lines.insert(3, f"  {pace}")
    lines += [f"  {line}" for line in spend_lines(progress)]
    lines += _troubles(activity)
    lines += _section("spoiled attempts", map(_void, activity.voids, [activity.at] * 99))
    lines += _section("slowest", map(_run, activity.slowest))
    return lines + _section("workers", map(_worker, activity.workers))


def _stages(progress: CampaignProgress) -> Iterator[str]:
    before_grading = progress.waiting + progress.agent_queued + progress.agent_leased
    counts = (
        ("agent", progress.total - before_grading, progress.agent_queued, progress.agent_leased),
        ("grade", progress.ended, progress.grade_queued, progress.grade_leased),
    )
    for stage, done, queued, leased in counts:
        line = f"  {stage}  {bar(done, progress.total)}  {done}/{progress.total}"
        yield f"{line}  {leased} at work, {queued} queued" if queued or leased else line


def _troubles(activity: CampaignActivity) -> list[str]:
    found = [f"{one.problem}: {one.remedy}" for one in activity.troubles]
    rest = len(found) - SHOWN_TROUBLES
    more = [f"and {rest} more"] if rest > 0 else []
    return _section("STANDS STILL", [*found[:SHOWN_TROUBLES], *more])


def _section(title: str, lines: Iterable[str]) -> list[str]:
    shown = [f"  {one_line(line)}" for line in lines]
    return [title, *shown] if shown else []


def _void(reason: VoidReason, at: float) -> str:
    line = f"{reason.category} ({reason.component})  {counted(reason.attempts, 'attempt')}, "
    line += f"{counted(reason.runs, 'run')} void"
    if reason.newest_run is None or reason.newest_at is None:
        return line
    ago = duration_text(at - reason.newest_at)
    detail = " ".join(reason.newest_detail.split())
    return f"{line}; run {reason.newest_run}, {ago} ago: {detail}"


def _run(run: RunInWork) -> str:
    lasts = duration_text(run.running_s)
    if run.limit_s is not None:
        lasts += f" of {duration_text(run.limit_s)}"
    again = f", try {run.attempt}" if run.attempt > 1 else ""
    return f"run {run.run_id}  {run.stage}  {run.label}  {lasts}{again}  on {run.worker}"


def _worker(worker: WorkerActivity) -> str:
    line = f"{worker.name}  {len(worker.busy)}/{worker.slots}"
    if worker.state is not WorkerState.SERVING:
        line += f"  {worker.state} ({worker.reason})" if worker.reason else f"  {worker.state}"
    busy = [
        f"{run.run_id} {run.stage} {run.label} {duration_text(run.running_s)}"
        for run in worker.busy[:SHOWN_BUSY]
    ]
    if (rest := len(worker.busy) - SHOWN_BUSY) > 0:
        busy.append(f"{rest} more")
    return f"{line}  {' · '.join(busy)}" if busy else f"{line}  idle"
