"""What is wrong with a campaign that a person described, wherever it was written: every fault at
once, each with its place and the remedy."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeGuard, cast

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from models.doubles import doubles
from models.errors import InputFault, InvalidInput
from models.schemas.agents import AGENT_SETTINGS, SUBJECT_AGENT
from models.schemas.budget import Budget
from models.schemas.campaign import CampaignLimits, CampaignSpec, SystemSpec, budget_faults
from scheduler.campaign_remedies import PAID_BY, problem_of, remedy_of

EVERYTHING = "all"
"""Written instead of a list: every task of the catalogue, every language of the tasks."""

VariantsByTask = Mapping[str, Sequence[str]]
"""The languages of each task of the catalogue."""

Place = Callable[[str], str]
"""Where a field is, for people: of a dotted path such as `systems[0].agent`, or empty for all."""

AGENTS = tuple(sorted(set(AGENT_SETTINGS) - {SUBJECT_AGENT}))
"""Agents that a person may name; subjects are a gate's."""


def checked_campaign(
    raw: dict[str, object], source: str, variants: VariantsByTask, place: Place
) -> CampaignSpec:
    """The campaign that `raw` describes; `source` names it in faults.

    Raises InvalidInput that lists every fault.
    """
    _spell_out(raw, variants)
    faults = _catalogue_faults(raw, variants, place) + _doubled_faults(raw, place)
    doubles = _doubled_systems(raw, place)
    unpaid = _budget_faults(raw, place)
    faults += _system_faults(raw, place) + unpaid + doubles
    try:
        spec = CampaignSpec.model_validate(raw)
    except ValidationError as error:
        # Which systems are alike, and what a budget lacks, is told above, with names and places.
        items = [item for item in error.errors() if item["loc"] or not (doubles or unpaid)]
        faults = [_field_fault(item, place) for item in items] + faults
        raise InvalidInput(source, faults) from error
    if faults:
        raise InvalidInput(source, faults)
    return spec


def parse_budget(raw: Mapping[str, object]) -> Budget:
    """A budget as a person gave it. Raises InvalidInput that lists every fault."""
    try:
        return Budget.model_validate(raw)
    except ValidationError as error:
        faults = [
            InputFault(_dotted(item["loc"]), problem_of(item), remedy_of(item))
            for item in error.errors()
        ]
        raise InvalidInput("the budget", faults) from error


def _spell_out(raw: dict[str, object], variants: VariantsByTask) -> None:
    """Replace `all` by the names that it stands for."""
    if raw.get("tasks") == EVERYTHING:
        raw["tasks"] = list(variants)
    if raw.get("languages") == EVERYTHING:
        tasks = _texts(raw.get("tasks"))
        named = {language for task in tasks for language in variants.get(task, ())}
        raw["languages"] = sorted(named)


def _catalogue_faults(
    raw: dict[str, object], variants: VariantsByTask, place: Place
) -> list[InputFault]:
    """Tasks that the catalogue does not hold, and languages that a task does not have."""
    faults: list[InputFault] = []
    languages = _texts(raw.get("languages"))
    for number, task in enumerate(_texts(raw.get("tasks"))):
        where = place(f"tasks[{number}]")
        if task not in variants:
            faults.append(InputFault(where, f"no task {task!r}", _choose(task, list(variants))))
            continue
        for missing in [language for language in languages if language not in variants[task]]:
            remedy = _choose(missing, list(variants[task]))
            problem = f"task {task!r} has no language {missing!r}"
            faults.append(InputFault(place("languages"), problem, remedy))
    return faults


def _doubled_faults(raw: dict[str, object], place: Place) -> list[InputFault]:
    """Names that stand twice in a list, and the one field that is not a person's to set."""
    faults: list[InputFault] = []
    for field in ("tasks", "languages"):
        names = _texts(raw.get(field))
        for name in sorted(doubles(names)):
            where = place(field)
            faults.append(InputFault(where, f"{name!r} stands there twice", "name it once"))
    if raw.pop("kind", None) is not None:
        remedy = "remove it; `gradefarm gate run` proves a verifier"
        faults.append(InputFault(place("kind"), "a campaign file has no kind", remedy))
    return faults


def _system_faults(raw: dict[str, object], place: Place) -> list[InputFault]:
    """Agents that nobody knows, and settings that theirs does not take."""
    faults: list[InputFault] = []
    for number, system in enumerate(_items(raw.get("systems"))):
        agent, settings = _agent_of(system)
        table = f"systems[{number}]"
        if agent is None:
            continue
        if agent not in AGENTS:
            where = place(f"{table}.agent")
            faults.append(InputFault(where, _no_agent(agent), _choose(agent, list(AGENTS))))
            continue
        try:
            AGENT_SETTINGS[agent].model_validate(settings)
        except ValidationError as error:
            faults += [_setting_fault(item, agent, table, place) for item in error.errors()]
    return faults


def _no_agent(agent: str) -> str:
    if agent == SUBJECT_AGENT:
        return f"the agent {agent!r} is there for gates only"
    return f"there is no agent {agent!r}"


def _setting_fault(item: ErrorDetails, agent: str, table: str, place: Place) -> InputFault:
    where = place(f"{table}.{_dotted(('settings', *item['loc']))}")
    known = f"the agent {agent} takes these settings: "
    known += ", ".join(AGENT_SETTINGS[agent].model_fields) or "none"
    if item["type"] == "extra_forbidden":
        return InputFault(where, "no such setting", known)
    return InputFault(where, problem_of(item), f"{remedy_of(item)}; {known}")


def _doubled_systems(raw: dict[str, object], place: Place) -> list[InputFault]:
    """Systems of one name, and systems that are one under two names."""
    faults: list[InputFault] = []
    names: dict[str, str] = {}
    identities: dict[str, str] = {}
    for number, system in enumerate(_items(raw.get("systems"))):
        table = f"systems[{number}]"
        name, identity = _name_of(system), _identity_of(system)
        if name in names:
            problem = f"{names[name]} has the same name: {name}"
            where = place(f"{table}.name")
            faults.append(InputFault(where, problem, "give every system a name of its own"))
        if identity in identities:
            problem = f"{identities[identity]} has the same agent and settings"
            remedy = "remove one of them, or change a setting"
            faults.append(InputFault(place(table), problem, remedy))
        if name is not None:
            names.setdefault(name, table)
        if identity is not None:
            identities.setdefault(identity, f"{table} {name!r}")
    return faults


def _budget_faults(raw: dict[str, object], place: Place) -> list[InputFault]:
    """Budgets that no run could reserve its part of; other faults are the schema's to report."""
    try:
        budget = Budget.model_validate(raw.get("budget", {}))
        limits = CampaignLimits.model_validate(raw.get("limits", {}))
    except ValidationError:
        return []
    return [
        InputFault(place(f"budget.{field}"), why, PAID_BY[field])
        for field, why in budget_faults(budget, limits).items()
    ]


def _name_of(system: object) -> str | None:
    if not isinstance(system, dict):
        return None
    name = cast("dict[str, object]", system).get("name")
    return name if isinstance(name, str) else None


def _identity_of(system: object) -> str | None:
    """What makes a system itself, whatever it is called; None where that has faults."""
    agent, settings = _agent_of(system)
    try:
        return SystemSpec.model_validate({"name": "x", "agent": agent, "settings": settings}).id
    except ValueError:  # of the schema, or of a value that has no canonical form
        return None


def _agent_of(system: object) -> tuple[str | None, dict[str, JsonValue]]:
    """Agent and settings of one system; None where their shape is the schema's to report."""
    if not isinstance(system, dict):
        return None, {}
    table = cast("dict[str, object]", system)
    agent, settings = table.get("agent"), table.get("settings", {})
    if not isinstance(agent, str) or not isinstance(settings, dict):
        return None, {}
    return agent, cast("dict[str, JsonValue]", settings)


def _texts(value: object) -> list[str]:
    """The texts of a list; what has another shape is the schema's fault to report."""
    return [item for item in _items(value) if isinstance(item, str)]


def _items(value: object) -> list[object]:
    return value if _is_list(value) else []


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _choose(wrong: str, known: list[str]) -> str:
    near = get_close_matches(wrong, known, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"choose from: {', '.join(known)}" if known else "the catalogue is empty"


def _field_fault(item: ErrorDetails, place: Place) -> InputFault:
    path = _dotted(item["loc"])
    kind = item["type"]
    if kind == "extra_forbidden":
        return InputFault(place(path), "no such field", _known_fields(item["loc"]))
    remedy = remedy_of(item)
    if kind == "value_error":
        remedy = "change one of them, or put them together"
    return InputFault(place(path), problem_of(item), remedy)


def _dotted(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _known_fields(location: tuple[int | str, ...]) -> str:
    """The fields that the table at `location` may have, read from the schema."""
    names = _fields_at(location[:-1])
    near = get_close_matches(str(location[-1]), names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"remove it; known are {', '.join(names)}"


def _fields_at(location: tuple[int | str, ...]) -> list[str]:
    schema = CampaignSpec.model_json_schema()
    definitions = cast("dict[str, dict[str, dict[str, object]]]", schema["$defs"])
    table = {
        "systems": "SystemSpec",
        "limits": "CampaignLimits",
        "policy": "ScoringPolicy",
        "budget": "Budget",
    }
    name = table.get(str(location[0])) if location else None
    properties = definitions[name]["properties"] if name else schema["properties"]
    return [field for field in cast("dict[str, object]", properties) if field != "kind"]
