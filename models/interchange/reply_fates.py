"""What became of the replies that a recording tells of."""

from collections import Counter
from collections.abc import Iterable

from models.interchange.turns import CALLS, side_of
from models.schemas.transcript import Fate, TranscriptStep

STOPPED = {"length": Fate.TRUNCATED, "refusal": Fate.REFUSED}


def fates_of(steps: Iterable[TranscriptStep]) -> dict[Fate, int]:
    """One fate for each turn of the agent.

    Words without a call are acted on: agents of this kind end with them, or go on.
    """
    turns: dict[object, list[TranscriptStep]] = {}
    for step in steps:
        if side_of(step) == "agent":
            turns.setdefault((step.data.get("lane"), step.data.get("turn")), []).append(step)
    return dict(Counter(map(_fate_of, turns.values())))


def _fate_of(turn: list[TranscriptStep]) -> Fate:
    if any(step.kind in CALLS for step in turn):
        return Fate.ACTED_ON
    stops = (STOPPED.get(str(step.data.get("stop"))) for step in turn)
    if stopped := next(filter(None, stops), None):
        return stopped
    has_words = any(step.kind == "message" and step.text for step in turn)
    return Fate.ACTED_ON if has_words else Fate.EMPTY
