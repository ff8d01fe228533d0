"""What a language model of a planted campaign says in each run, and what must come of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from models.schemas.chat_settings import ChatSettings
from models.schemas.model_call import TokenUsage
from models.schemas.transcript import Fate
from models.verdicts import StopReason, VoidCategory
from tasks_catalog.catalog import Catalog
from tasks_catalog.file_tree import read_files
from tests.fakes.model_server import Fault
from tests.fakes.model_wires import Ask, Reply
from tests.fakes.running_gateway import CHAT
from workers.agents.chat.prompts import first_message
from workers.model_gateway.price_table import Price

SETTINGS = ChatSettings(model=CHAT, seed=1, turns=12, nudges=9, identical_malformed=3)
PRICE = Price(
    model=CHAT,
    valid_from=datetime(2026, 1, 1, tzinfo=UTC).date(),
    input=1_250_000,
    cache_read=125_000,
    output=10_000_000,
)
"""As in `running_gateway.gateway_toml`."""
LOOK, DONE = "```shell\nls\n```", "```done\n```"
STUCK_TEXT = "I would run this:\n```bash\nls\n```"
BUSY_TIMES = 2


class Plant(StrEnum):
    """How the model behaves in a run, by its repeat."""

    SOLVES = "solves it"
    CUT = "solves it; a stream is cut"
    STUCK = "repeats one malformed action"
    UNNOTICED = "solves it and does not notice"
    WRONG = "changes nothing that helps"
    EVASIVE = "says nothing, refuses, then solves it"
    BUSY = "solves it; its provider says 429"
    AWAY = "its provider stays away"


@dataclass(frozen=True)
class Expected:
    """What must come of one run. `calls` is the usage of each reply, None of one that was cut."""

    verdict: str
    undelivered: bool
    stop: StopReason | None
    void: VoidCategory | None
    fates: dict[Fate, int]
    calls: tuple[TokenUsage | None, ...]
    first_solved_turn: int | None = None


def usage_of(turn: int) -> TokenUsage:
    """Another one for each turn, so that none can stand for another."""
    return TokenUsage(input_uncached=1_000 + 7 * turn, cache_read=64, output=20 + turn, reasoning=5)


def cost_of(usage: TokenUsage) -> int:
    """In micro-USD."""
    return PRICE.cost(usage)


class PlantedModel:
    """The script of a model server, and what is expected, over some variants of a catalogue.

    `away` names the variants in which the eighth repeat's provider stays away; elsewhere that one
    solves it too.
    """

    def __init__(
        self,
        catalog: Catalog,
        variants: tuple[tuple[str, str], ...],
        away: tuple[tuple[str, str], ...],
    ) -> None:
        self._away = away
        self._answers: dict[tuple[str, str], dict[str, str]] = {}
        self._spoilt: dict[tuple[str, str], str] = {}
        self._by_prompt: dict[str, tuple[str, str]] = {}
        self._busy: dict[tuple[str, str, int], int] = {}
        for task, language in variants:
            self._learn(catalog, task, language)

    def _learn(self, catalog: Catalog, task: str, language: str) -> None:
        public, variant = catalog.public_half(task, language), (task, language)
        starter = read_files(public.starter)
        reference = read_files(catalog.sealed_half(task, language).reference)
        changed = {path: data for path, data in reference.items() if starter.get(path) != data}
        spoilt = next(path for path in sorted(changed) if path in starter)
        order = [*(path for path in sorted(changed) if path != spoilt), spoilt]
        self._answers[variant] = {path: changed[path].decode() for path in order}
        self._spoilt[variant] = spoilt
        command = " ".join(catalog.language(language).test.argv)
        names = [(path, "") for path in sorted(starter)]
        self._by_prompt[first_message(SETTINGS, public.ticket, command, names)] = variant

    def plant(self, variant: tuple[str, str], repeat: int) -> Plant:
        """How it behaves in a run."""
        plant = tuple(Plant)[(repeat - 1) % len(Plant)]
        return Plant.SOLVES if plant is Plant.AWAY and variant not in self._away else plant

    def says(self, ask: Ask) -> Reply:
        """The script."""
        variant, repeat = self._run_of(ask)
        replies = self._replies(variant, self.plant(variant, repeat))
        return replies[min(ask.turn, len(replies) - 1)]

    def fault(self, ask: Ask) -> Fault | None:
        """What a request meets instead of a reply."""
        variant, repeat = self._run_of(ask)
        plant = self.plant(variant, repeat)
        if plant is Plant.AWAY and ask.turn:
            return Fault(503)
        if plant is Plant.BUSY and ask.turn == 1:
            met = self._busy.get((*variant, repeat), 0)
            self._busy[*variant, repeat] = met + 1
            return Fault(429, retry_after="0.2") if met < BUSY_TIMES else None
        return None

    def _run_of(self, ask: Ask) -> tuple[tuple[str, str], int]:
        """The variant by its first message, the repeat by its seed: it is told nothing else."""
        return self._by_prompt[ask.body["messages"][1]["content"]], int(ask.body["seed"])

    def _replies(self, variant: tuple[str, str], plant: Plant) -> list[Reply]:
        """All replies of a run; the last one stands for all after it."""
        writes = [_write(path, text) for path, text in self._answers[variant].items()]
        texts = {
            Plant.STUCK: [STUCK_TEXT] * 3,
            Plant.UNNOTICED: [_write(self._spoilt[variant], "%%% no program\n"), *writes],
            Plant.WRONG: [_write("NOTES.md", "I looked at it.\n"), DONE],
            Plant.EVASIVE: ["", "I can't help with that.", *writes, DONE],
            Plant.CUT: [writes[0], *writes, DONE],
        }.get(plant, [*writes, DONE])
        if plant is Plant.UNNOTICED:
            texts += [LOOK] * (SETTINGS.turns - len(texts))
        return [
            Reply(
                text,
                usage=usage_of(turn),
                stop="refusal" if plant is Plant.EVASIVE and turn == 1 else "stop",
                cut_after=3 if plant is Plant.CUT and turn == 0 else None,
            )
            for turn, text in enumerate(texts)
        ]

    def expected(self, variant: tuple[str, str], repeat: int) -> Expected:
        """What must come of a run."""
        plant = self.plant(variant, repeat)
        replies = self._replies(variant, plant)
        fates: Mapping[Plant, dict[Fate, int]] = {
            Plant.STUCK: {Fate.NUDGED: 3},
            Plant.EVASIVE: {Fate.EMPTY: 1, Fate.REFUSED: 1},
            Plant.CUT: {Fate.TRUNCATED: 1},
        }
        other = dict(fates.get(plant, {}))
        acted = len(replies) - sum(other.values())
        calls = tuple(None if one.cut_after is not None else one.usage for one in replies)
        if plant is Plant.AWAY:
            unavailable = VoidCategory.PROVIDER_UNAVAILABLE
            return Expected("void", False, None, unavailable, {}, calls[:1])
        return Expected(
            verdict="failed" if plant in (Plant.STUCK, Plant.WRONG) else "passed",
            undelivered=plant is Plant.STUCK,
            stop={
                Plant.STUCK: StopReason.REPEATED_MALFORMED,
                Plant.UNNOTICED: StopReason.TURN_BUDGET,
            }.get(plant, StopReason.DONE_GATE),
            void=None,
            fates={**other, **({Fate.ACTED_ON: acted} if acted else {})},
            calls=calls,
            first_solved_turn={
                Plant.UNNOTICED: len(self._answers[variant]) + 1,
                Plant.WRONG: 1,
            }.get(plant),
        )


def _write(path: str, text: str) -> str:
    fence = "````" if "```" in text else "```"
    return f"{fence}write {path}\n{text}{fence}"
