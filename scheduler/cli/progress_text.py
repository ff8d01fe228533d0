"""Progress in words: how far, how fast, until when, and what got lost. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.schemas.budget import amount_text
from models.schemas.campaign import CampaignState
from models.schemas.campaign_progress import CampaignProgress
from models.schemas.run_view import RunView

BAR_WIDTH = 32
STOPPED = (CampaignState.PAUSED, CampaignState.CANCELLED, CampaignState.FINISHED)
"""States in which nothing more is to be waited for."""


@dataclass(frozen=True)
class Sample:
    """How many runs had ended at a monotonic time in seconds."""

    at: float
    ended: int


def joined_progress(parts: Sequence[CampaignProgress]) -> CampaignProgress:
    """The progress of several campaigns as one: it goes on until all of `parts` have stopped.

    Then it is finished, unless somebody stopped one of them.
    """
    if len(parts) == 1:
        return parts[0]
    going = [part.state for part in parts if part.state not in STOPPED]
    broken = [part.state for part in parts if part.state is not CampaignState.FINISHED]
    counted = ("total", "waiting", "agent_queued", "agent_leased", "frozen", "grade_queued")
    counted += ("grade_leased", "passed", "failed", "undelivered", "cancelled")
    sums = {name: sum(getattr(part, name) for part in parts) for name in counted}
    voids = sum((Counter(part.voids) for part in parts), Counter[str]())
    joined = {
        "campaign_id": f"{len(parts)} campaigns",
        "state": (*going, *broken, CampaignState.FINISHED)[0],
        "voids": dict(voids),
    }
    return CampaignProgress.model_validate({**joined, **sums})


def spend_lines(progress: CampaignProgress) -> list[str]:
    """A line for each resource that is kept account of."""
    lines: list[str] = []
    for resource, one in progress.spend.items():
        line = f"spent {amount_text(resource, one.spent)}"
        if one.total is not None:
            line += f" of {amount_text(resource, one.total)}"
        if one.reserved:
            line += f", {amount_text(resource, one.reserved)} reserved for runs at work"
        lines.append(line)
    return lines


def rate_of(samples: Sequence[Sample]) -> float | None:
    """Ended runs per second between the first and the last sample; None without evidence."""
    if len(samples) < 2 or samples[-1].at <= samples[0].at:
        return None
    gained = samples[-1].ended - samples[0].ended
    return gained / (samples[-1].at - samples[0].at) if gained > 0 else None


def progress_line(progress: CampaignProgress, rate: float | None, *, gate: bool = False) -> str:
    """One line: bar, ended of total, rate, remaining time, results, voids by reason.

    Of a gate only how many are graded: most of its subjects have to fail.
    """
    parts = [
        f"{progress.campaign_id}  {bar(progress.ended, progress.total)}",
        f"{progress.ended}/{progress.total}",
        _pace(progress, rate),
        _results(progress, gate=gate),
    ]
    return "  ".join(part for part in parts if part)


def bar(done: int, total: int) -> str:
    """A bar of fixed width; full only when everything is done."""
    filled = BAR_WIDTH * done // total if total else 0
    return "[" + "#" * filled + "." * (BAR_WIDTH - filled) + "]"


def _pace(progress: CampaignProgress, rate: float | None) -> str:
    left = progress.total - progress.ended
    if not left or rate is None:
        return ""
    return f"{rate:.1f} runs/s, {duration_text(left / rate)} to go"


def _results(progress: CampaignProgress, *, gate: bool) -> str:
    results = (
        [f"graded {progress.graded} of {progress.total}"]
        if gate
        else [f"{progress.passed} passed", _failed(progress)]
    )
    if progress.cancelled:
        results.append(f"{progress.cancelled} cancelled")
    return ", ".join([*results, _voids(progress)])


def _failed(progress: CampaignProgress) -> str:
    if not progress.undelivered:
        return f"{progress.failed} failed"
    return f"{progress.failed} failed ({progress.undelivered} undelivered)"


def _voids(progress: CampaignProgress) -> str:
    if not progress.void:
        return "0 void"
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(progress.voids.items()))
    return f"{progress.void} void ({reasons})"


def duration_text(seconds: float) -> str:
    """`8 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60:02d} min"


def work_lines(runs: Sequence[RunView], width: int) -> list[str]:
    """What each worker does, one line for each run in work, sorted by worker."""
    lines = [
        f"  {run.worker or '?'}  {run.state.value.removesuffix('_leased')}  {run.label}"
        for run in sorted(runs, key=lambda run: (run.worker or "", run.id))
    ]
    return [line[:width] for line in lines]
