"""Progress in words: how far, how fast, until when, and what got lost. Pure."""

from models.schemas.budget import amount_text
from models.schemas.campaign_activity import CampaignActivity, TimeLeft
from models.schemas.campaign_progress import CampaignProgress

BAR_WIDTH = 32


def activity_line(activity: CampaignActivity) -> str:
    """A look in one line."""
    return progress_line(activity.progress, pace_text(activity), gate=activity.is_gate)


def progress_line(progress: CampaignProgress, pace: str = "", *, gate: bool = False) -> str:
    """One line: bar, ended of total, `pace`, results, voids by reason.

    Of a gate only how many are graded: most of its subjects have to fail.
    """
    parts = [
        f"{progress.campaign_id}  {bar(progress.ended, progress.total)}",
        f"{progress.ended}/{progress.total}",
        pace,
        results_text(progress, gate=gate),
    ]
    return "  ".join(part for part in parts if part)


def bar(done: int, total: int) -> str:
    """A bar of fixed width; full only when everything is done."""
    filled = BAR_WIDTH * done // total if total else 0
    return "[" + "#" * filled + "." * (BAR_WIDTH - filled) + "]"


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


def pace_text(activity: CampaignActivity) -> str:
    """How fast it goes, how fast it went over all, and how long it may still take."""
    recent, overall = activity.recent_per_s, activity.overall_per_s
    parts = [f"{rate_text(recent)} now" if recent else ""]
    if overall and (recent is None or rate_text(recent) != rate_text(overall)):
        parts.append(f"{rate_text(overall)} over all")
    if activity.progress.ended < activity.progress.total:
        parts.append(left_text(activity.time_left))
    return ", ".join(part for part in parts if part)


def rate_text(per_s: float) -> str:
    """`2.5/s`, `12.0/min`, `3.1/h`: the first of them that is not tiny."""
    if per_s >= 1:
        return f"{per_s:.1f}/s"
    return f"{per_s * 60:.1f}/min" if per_s * 60 >= 1 else f"{per_s * 3_600:.1f}/h"


def left_text(left: TimeLeft) -> str:
    """`8 s to 12 s left`; a question mark where it is not known."""
    if left.low_s is None:
        return f"? left ({left.why})" if left.why else "? left"
    low = duration_text(left.low_s)
    if left.high_s is None:
        return f"? left (at least {low})"
    high = duration_text(left.high_s)
    return f"about {low} left" if low == high else f"{low} to {high} left"


def results_text(progress: CampaignProgress, *, gate: bool) -> str:
    """How the runs ended that have."""
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
