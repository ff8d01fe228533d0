"""What became of a language model's replies, in words. Nothing is averaged: all are counts."""

from collections.abc import Mapping

from models.schemas.model_replies import SystemReplies
from models.schemas.transcript import Fate


def reply_facts(replies: SystemReplies) -> list[tuple[str, str]]:
    """Every fate, also those that no reply had, and who solved it without noticing."""
    total, runs = sum(replies.fates.values()), replies.runs
    return [
        ("replies", f"{total} in {_runs(runs)}: {fates_text(replies.fates, zeros=True)}"),
        ("visible tests", f"passed at some turn in {replies.solved} of {_runs(runs)}"),
        (" not noticed", _unnoticed_text(replies)),
    ]


def fates_text(fates: Mapping[Fate, int], *, zeros: bool = False) -> str:
    """`5 acted on, 1 nudged`; with `zeros` every fate."""
    return ", ".join(
        f"{fates.get(fate, 0)} {fate.value.replace('_', ' ')}"
        for fate in Fate
        if zeros or fates.get(fate)
    )


def _unnoticed_text(replies: SystemReplies) -> str:
    unnoticed = replies.unnoticed
    told = f"in {sum(unnoticed.values())} of these"
    if not unnoticed:
        return told
    turns = ", ".join(
        f"{turn}{f' ({runs} runs)' if runs > 1 else ''}" for turn, runs in unnoticed.items()
    )
    return f"{told}, solved first after turn {turns}"


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"
