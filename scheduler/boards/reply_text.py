"""What became of a language model's replies, in words. Nothing is averaged: all are counts."""

from collections.abc import Mapping

from models.counted_nouns import counted
from models.schemas.model_replies import ModelReplies, SystemReplies, ToldBy
from models.schemas.transcript import Fate

WHO_TOLD: Mapping[ToldBy, str] = {
    "farm": "",
    "agent": " (by the agent's own account)",
    "recording": " (by the recording that was fed again)",
}


def reply_facts(replies: SystemReplies) -> list[tuple[str, str]]:
    """Every fate, also those that no reply had, and who solved it without noticing; what nobody
    told or looked at is no zero."""
    facts = [("replies", _replies_text(replies))]
    if not replies.measured:
        return [*facts, ("visible tests", "not looked at while it worked")]
    solved = f"passed at some turn in {replies.solved} of {counted(replies.measured, 'run')}"
    return [
        *facts,
        ("visible tests", f"{solved}{_but(replies.runs - replies.measured, 'not looked at')}"),
        (" not noticed", _unnoticed_text(replies)),
    ]


def run_replies_text(replies: ModelReplies) -> str:
    """`7: 5 acted on, 1 nudged, 1 truncated`."""
    if replies.fates is None:
        return f"not told{WHO_TOLD[replies.told_by]}"
    told_of = f"{sum(replies.fates.values())}: {fates_text(replies.fates) or 'none'}"
    return f"{told_of}{WHO_TOLD[replies.told_by]}"


def solved_text(replies: ModelReplies) -> str:
    """When the visible tests first passed on changed files, and whether that was noticed."""
    turn = replies.first_solved_turn
    if turn is None:
        never = "tests never passed on changed files"
        return never if replies.measured else "tests were not looked at after every turn"
    noticed = "" if replies.noticed else ", which the system did not notice"
    return f"tests passed first after turn {turn}{noticed}"


def fates_text(fates: Mapping[Fate, int], *, zeros: bool = False) -> str:
    """`5 acted on, 1 nudged`; with `zeros` every fate."""
    return ", ".join(
        f"{fates.get(fate, 0)} {fate.value.replace('_', ' ')}"
        for fate in Fate
        if zeros or fates.get(fate)
    )


def _replies_text(replies: SystemReplies) -> str:
    who = WHO_TOLD[replies.told_by]
    if replies.fates is None:
        return f"not told in {counted(replies.runs, 'run')}{who}"
    total, told = sum(replies.fates.values()), replies.runs - replies.untold
    told_of = f"{total} in {counted(told, 'run')}: {fates_text(replies.fates, zeros=True)}"
    return f"{told_of}{_but(replies.untold, 'not told')}{who}"


def _but(runs: int, what: str) -> str:
    """`; not told in 2 runs`, empty for none."""
    return f"; {what} in {counted(runs, 'run')}" if runs else ""


def _unnoticed_text(replies: SystemReplies) -> str:
    unnoticed = replies.unnoticed
    told = f"in {sum(unnoticed.values())} of these"
    if not unnoticed:
        return told
    turns = ", ".join(
        f"{turn}{f' ({runs} runs)' if runs > 1 else ''}" for turn, runs in unnoticed.items()
    )
    return f"{told}, solved first after turn {turns}"
