"""A planted campaign of the farm's own agent on a whole farm, held against what was planted."""

import json
import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from models.errors import FarmError
from models.schemas.budget import Resource
from models.schemas.model_call import ModelCall
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import AttemptView, RunView
from models.settings import Settings, read_settings
from models.storage.budgets import read_spend
from models.storage.campaigns import campaign_row
from scheduler.farm_access.local_farm import LocalFarm
from tasks_catalog.catalog import open_catalog
from tests.acceptance.farm_process import READY, FarmHome
from tests.fakes.model_server import KEY, Fault, ModelServer, model_server
from tests.fakes.model_wires import Ask
from tests.fakes.planted_chat import PRICE, SETTINGS, PlantedModel, cost_of
from tests.fakes.running_gateway import gateway_toml

MOST_OUTPUT, PROMPT_TOKENS = 1_000, 50
"""Of the models of `gateway_toml`, and what a provider may write around any request."""
OUTAGE_AT = 25
"""The request that finds the provider away."""

CAMPAIGN = """
name = "planted"
tasks = [{tasks}]
languages = [{languages}]
repeats = {repeats}

[[systems]]
name = "planted-model"
agent = "chat"
settings = {{ {settings} }}

[limits]
agent_cost_usd = 1
agent_tokens = 1000000

[budget]
cost_usd = 1000

[policy]
max_attempts = {max_attempts}
"""


@dataclass(frozen=True)
class Size:
    """How large the campaign is, and how long the provider is away in its middle."""

    tasks: tuple[str, ...]
    languages: tuple[str, ...]
    repeats: int
    outage_s: float
    patience_s: float
    max_attempts: int = 1
    away: int = 1
    """In so many variants the eighth repeat's provider stays away for good."""

    @property
    def variants(self) -> tuple[tuple[str, str], ...]:
        return tuple((task, language) for task in self.tasks for language in self.languages)


@dataclass(frozen=True)
class Held:
    """One campaign held against its plan: every difference, and what it was made of."""

    differences: tuple[str, ...]
    runs: tuple[RunView, ...]
    plants: tuple[str, ...]
    replies: int
    requests: int
    statuses: dict[int, int]
    cost_microusd: int
    tokens: int
    waited_s: float


@contextmanager
def planted_farm(home: FarmHome, size: Size) -> Generator[tuple[ModelServer, PlantedModel]]:
    """A farm that runs, with its gateway, and the model server behind it."""
    settings = read_settings(home.environment)
    catalog = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
    planted = PlantedModel(catalog, size.variants, size.variants[: size.away])
    with model_server(planted.says) as server:
        server.fault = _faults(server, planted, size.outage_s)
        home.home.mkdir(parents=True, exist_ok=True)
        patience = f"patience_s = {size.patience_s}\nlongest_pause_s = 2.0"
        (home.home / "gateway.toml").write_text(gateway_toml(server, provider=patience))
        (home.home / "provider.key").write_text(KEY)
        with home.started("up", until=READY):
            yield server, planted


def _faults(server: ModelServer, planted: PlantedModel, outage_s: float):  # type: ignore[no-untyped-def]
    def fault(number: int, ask: Ask) -> Fault | None:
        if number == OUTAGE_AT:
            server.outage(outage_s)
            return Fault(503)
        return planted.fault(ask)

    return fault


def run_campaign(home: FarmHome, size: Size, patience_s: float) -> str:
    """Start the campaign and wait for its end; its id."""
    settings = ", ".join(
        f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}"
        for name, value in SETTINGS.model_dump(exclude_unset=True).items()
    )
    file = home.home / "planted.toml"
    file.write_text(
        CAMPAIGN.format(
            tasks=", ".join(f'"{task}"' for task in size.tasks),
            languages=", ".join(f'"{language}"' for language in size.languages),
            repeats=size.repeats,
            settings=settings,
            max_attempts=size.max_attempts,
        )
    )
    started = home.run(
        "campaign", "start", str(file), "--unproven", "--watch", patience_s=patience_s
    )
    assert started.returncode in (0, 4), started.stdout + started.stderr
    return "planted-1"


def hold_against(
    settings: Settings, campaign: str, server: ModelServer, planted: PlantedModel
) -> Held:
    """What the farm's books say of every run, against the plan and the provider's own count."""
    farm = LocalFarm(settings)
    runs = farm.runs.listed(RunFilter(campaign_id=campaign), limit=10_000)
    found: list[str] = []
    cost = tokens = 0
    waited_ms = 0
    for run in runs:
        attempts = [one for one in farm.runs.opened(run.id).attempts if one.stage is Stage.AGENT]
        told = _differences(farm, planted, run, attempts)
        found += [f"run {run.id} ({run.label}): {one}" for one in told]
        cost += sum(one.cost_microusd or 0 for one in attempts)
        tokens += sum(one.tokens or 0 for one in attempts)
        waited_ms += sum(call.waited_ms for call in _calls(farm, run))
    with farm.database.read() as session:
        spend = read_spend(session, campaign_row(session, campaign).pk)
    for resource, amount in ((Resource.COST, cost), (Resource.TOKENS, tokens)):
        if spend[resource].spent != amount or spend[resource].reserved:
            found.append(f"the campaign's {resource}: {spend[resource]}, its runs used {amount}")
    plants = tuple(planted.plant((run.task, run.language), run.repeat) for run in runs)
    return Held(
        tuple(found),
        tuple(runs),
        plants,
        len(server.ledger.served),
        server.ledger.requests,
        dict(server.ledger.statuses),
        cost,
        tokens,
        waited_ms / 1_000,
    )


def _calls(farm: LocalFarm, run: RunView) -> list[ModelCall]:
    try:
        steps = farm.runs.transcript(run.id, None).steps
    except FarmError:
        return []
    return [ModelCall.model_validate(step.data) for step in steps if step.kind == "model_call"]


def _differences(
    farm: LocalFarm, planted: PlantedModel, run: RunView, attempts: list[AttemptView]
) -> list[str]:
    expected = planted.expected((run.task, run.language), run.repeat)
    facts: dict[str, tuple[object, object]] = {
        "verdict": (run.verdict and run.verdict.value, expected.verdict),
        "undelivered": (bool(run.undelivered), expected.undelivered),
        "stop": (run.stop_reason, expected.stop),
        "void": (run.void_category, expected.void),
    }
    known = [usage for usage in expected.calls if usage is not None]
    cost, tokens = sum(map(cost_of, known)), sum(usage.total for usage in known)
    if expected.void is not None:
        facts["cost of attempts"] = ({one.cost_microusd for one in attempts}, {cost})
        facts["tokens of attempts"] = ({one.tokens for one in attempts}, {tokens})
        return _told(facts)
    replies = farm.runs.opened(run.id).replies
    calls = _calls(farm, run)
    facts["fates"] = (replies and replies.fates, expected.fates)
    if expected.first_solved_turn is not None:
        solved = replies and replies.first_solved_turn
        facts["first solved turn"] = (solved, expected.first_solved_turn)
    facts["usage of calls"] = (tuple(call.usage for call in calls), expected.calls)
    for call in calls:
        if call.usage is None:
            # Nobody told what a broken stream used: what was reserved for it is charged.
            read = _most_read(farm.artifacts.get(call.request))
            cost += PRICE.most(read, MOST_OUTPUT)
            tokens += read + MOST_OUTPUT
    facts["cost"] = (attempts[-1].cost_microusd, cost)
    facts["tokens"] = (attempts[-1].tokens, tokens)
    return _told(facts)


def _most_read(request: bytes) -> int:
    """A token for each byte of what the gateway sends on, as it is or as tokenizers write it."""
    sent = json.loads(request) | {"max_completion_tokens": MOST_OUTPUT}
    if sent.get("stream"):
        sent["stream_options"] = {"include_usage": True}
    text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
    forms = (text, unicodedata.normalize("NFKC", text))
    return max(len(form.encode()) for form in forms) + PROMPT_TOKENS


def _told(facts: dict[str, tuple[object, object]]) -> list[str]:
    return [
        f"{what}: {found!r}, planted was {wanted!r}"
        for what, (found, wanted) in facts.items()
        if found != wanted
    ]


def settings_of(home: FarmHome) -> Settings:
    """The settings that the farm in `home` has."""
    return read_settings(home.environment)


def chosen_languages(home: FarmHome, languages: tuple[str, ...], source: Path) -> None:
    """Let the farm in `home` have these languages instead of the quick ones."""
    folder = home.home.parent / "languages"
    folder.mkdir(parents=True)
    for name in languages:
        (folder / f"{name}.toml").write_text((source / f"{name}.toml").read_text())
