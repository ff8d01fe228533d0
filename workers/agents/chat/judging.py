"""What becomes of each reply, and when it was one too many. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from models.schemas.chat_settings import ChatSettings
from models.schemas.transcript import Fate
from models.verdicts import StopReason
from workers.agents.chat.actions import Action, Malformed, ShellAction, command_fault
from workers.agents.chat.replies import Reply
from workers.agents.chat.text_grammar import read_action, read_files
from workers.agents.chat.tool_grammar import read_call

CUT = {"cut", "error"}
"""The provider broke the reply off: nothing that the model did."""
BROKEN_OFF = {"length", *CUT}
"""Reasons for which a reply ended before the model had finished it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One reply: its fate, and the actions to carry out, none but for `acted_on`; else `why` is the
    sentence that the model is told."""

    fate: Fate
    actions: tuple[Action, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How a conversation went so far. `turns` counts replies, `fruitless` those without an action
    since the last that had one, `alike` those of them that were the same as the last. Replies that
    the provider broke off are in none of them: `cut` counts the last ones in a row.
    """

    turns: int = 0
    fates: Mapping[Fate, int] = field(default_factory=dict[Fate, int])
    fruitless: int = 0
    alike: int = 0
    cut: int = 0
    last: Reply | None = None


def judge(reply: Reply, settings: ChatSettings) -> Judged:
    """A reply that broke off is never acted on: half an action may be another one."""
    if reply.stop == "refusal":
        return Judged(Fate.REFUSED, why="you refused. If you can go on with the work, do.")
    if reply.stop in BROKEN_OFF:
        why = "it broke off before its end, so that nothing was done. Keep it shorter."
        return Judged(Fate.TRUNCATED, why=why)
    if not reply.text.strip() and not reply.calls:
        return Judged(Fate.EMPTY, why="it was empty.")
    read = _read(reply, settings)
    if isinstance(read, Malformed):
        return Judged(Fate.NUDGED, why=read.why)
    return Judged(Fate.ACTED_ON, read)


def _read(reply: Reply, settings: ChatSettings) -> tuple[Action, ...] | Malformed:
    if settings.mode == "one-shot":
        return read_files(reply.text)
    read = read_call(reply.calls) if settings.tools else read_action(reply.text)
    if isinstance(read, ShellAction) and (why := command_fault(read.command)):
        return Malformed(why)
    return read if isinstance(read, Malformed) else (read,)


def after(progress: Progress, reply: Reply, judged: Judged) -> Progress:
    """The progress with one more reply."""
    fates = {**progress.fates, judged.fate: progress.fates.get(judged.fate, 0) + 1}
    if reply.stop in CUT:
        return replace(progress, fates=fates, cut=progress.cut + 1)
    counted = replace(progress, turns=progress.turns + 1, fates=fates, cut=0)
    if judged.fate is Fate.ACTED_ON:
        return replace(counted, fruitless=0, alike=0, last=None)
    same = progress.last is not None and _said(progress.last) == _said(reply)
    alike = progress.alike + 1 if same else 1
    return replace(counted, fruitless=progress.fruitless + 1, alike=alike, last=reply)


def _said(reply: Reply) -> tuple[object, ...]:
    """What was said, without the ids that tell calls apart."""
    return (reply.text.strip(), *((call.name, call.arguments) for call in reply.calls))


def one_too_many(progress: Progress, settings: ChatSettings) -> str | None:
    """Why no further nudge is worth its tokens, None where one is."""
    if progress.alike >= settings.identical_malformed:
        return f"{progress.alike} replies in a row were the same and held no action"
    if progress.fruitless > settings.nudges:
        return f"{progress.fruitless} replies in a row held no action"
    return None


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run has used so far: seconds of its clock that are left, and what the gateway counted.

    The limits are None where there are none.
    """

    left_s: float
    wall_s: float
    tokens: int = 0
    cost_microusd: int = 0
    most_tokens: int | None = None
    most_cost_microusd: int | None = None


def used_up(progress: Progress, spent: Spent, settings: ChatSettings) -> StopReason | None:
    """The budget that allows no further reply."""
    if spent.left_s <= 0:
        return StopReason.WALL_BUDGET
    if spent.most_cost_microusd is not None and spent.cost_microusd >= spent.most_cost_microusd:
        return StopReason.COST_BUDGET
    if spent.most_tokens is not None and spent.tokens >= spent.most_tokens:
        return StopReason.TOKEN_BUDGET
    return StopReason.TURN_BUDGET if progress.turns >= settings.turns else None


LOW = 0.1
"""Less than this part of a budget is left: the model is told."""


def warning(progress: Progress, spent: Spent, settings: ChatSettings) -> str:
    """What the model is told before a budget ends; empty while none is near."""
    left = settings.turns - progress.turns
    told: list[str] = []
    if settings.mode == "loop" and left <= settings.warn_turns:
        told.append(f"{left} more repl{'y' if left == 1 else 'ies'}")
    if spent.left_s < LOW * spent.wall_s:
        told.append(f"{max(0, round(spent.left_s))} seconds")
    if spent.most_tokens is not None and spent.most_tokens - spent.tokens < LOW * spent.most_tokens:
        told.append(f"{max(0, spent.most_tokens - spent.tokens)} tokens")
    most = spent.most_cost_microusd
    if most is not None and most - spent.cost_microusd < LOW * most:
        told.append(f"{max(0, most - spent.cost_microusd) / 1e6:.4f} US dollars")
    if not told:
        return ""
    return f"Your work ends soon: you have {', '.join(told)} left. Leave the files in a good state."
