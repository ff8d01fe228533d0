"""Campaign files: TOML that a person writes, read with all of its faults at once."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypeGuard, cast

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from models.errors import InputFault, InvalidInput, NotFound
from models.schemas.agents import AGENT_SETTINGS, SUBJECT_AGENT
from models.schemas.budget import Budget
from models.schemas.campaign import CampaignLimits, CampaignSpec, SystemSpec, budget_faults
from scheduler.campaign_remedies import PAID_BY, problem_of, remedy_of
from scheduler.toml_lines import field_lines, place_of

EVERYTHING = "all"
"""Written instead of a list: every task of the catalogue, every language of the tasks."""

VariantsByTask = Mapping[str, Sequence[str]]
"""The languages of each task of the catalogue."""

AGENTS = tuple(sorted(set(AGENT_SETTINGS) - {SUBJECT_AGENT}))
"""Agents that a person may name; subjects are a gate's."""
SYNTAX_PLACE = re.compile(r"\(at (line \d+, column \d+|end of document)\)")


def read_campaign_file(path: Path, variants: VariantsByTask) -> CampaignSpec:
    """The campaign that the file at `path` describes.

    Raises NotFound where there is no file, and InvalidInput that lists every fault with its
    field, its line and the remedy.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(
            f"there is no campaign file {path}", remedy="Write one with `gradefarm campaign new`."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        fault = InputFault("the file", str(error), "make it a UTF-8 text that you can read")
        raise InvalidInput(str(path), [fault]) from error
    return parse_campaign(text, str(path), variants)


def parse_campaign(text: str, source: str, variants: VariantsByTask) -> CampaignSpec:
    """The campaign described by a TOML text; `source` names it in faults.

    Raises InvalidInput that lists every fault.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(source, [_syntax_fault(str(error))]) from error
    _spell_out(raw, variants)
    lines = field_lines(text)
    faults = _catalogue_faults(raw, variants, lines) + _doubled_faults(raw, lines)
    doubles = _doubled_systems(raw, lines)
    unpaid = _budget_faults(raw, lines)
    faults += _system_faults(raw, lines) + unpaid + doubles
    try:
        spec = CampaignSpec.model_validate(raw)
    except ValidationError as error:
        # Which systems are alike, and what a budget lacks, is told above, with names and lines.
        items = [item for item in error.errors() if item["loc"] or not (doubles or unpaid)]
        faults = [_field_fault(item, lines) for item in items] + faults
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


def _syntax_fault(message: str) -> InputFault:
    found = SYNTAX_PLACE.search(message)
    place = found[1] if found else "syntax"
    problem = SYNTAX_PLACE.sub("", message).strip()
    return InputFault(place, f"not TOML: {problem}", "mend the syntax there")


def _spell_out(raw: dict[str, object], variants: VariantsByTask) -> None:
    """Replace `all` by the names that it stands for."""
    if raw.get("tasks") == EVERYTHING:
        raw["tasks"] = list(variants)
    if raw.get("languages") == EVERYTHING:
        tasks = _texts(raw.get("tasks"))
        named = {language for task in tasks for language in variants.get(task, ())}
        raw["languages"] = sorted(named)


def _catalogue_faults(
    raw: dict[str, object], variants: VariantsByTask, lines: dict[str, int]
) -> list[InputFault]:
    """Tasks that the catalogue does not hold, and languages that a task does not have."""
    faults: list[InputFault] = []
    languages = _texts(raw.get("languages"))
    for number, task in enumerate(_texts(raw.get("tasks"))):
        place = place_of(f"tasks[{number}]", lines)
        if task not in variants:
            faults.append(InputFault(place, f"no task {task!r}", _choose(task, list(variants))))
            continue
        for missing in [language for language in languages if language not in variants[task]]:
            remedy = _choose(missing, list(variants[task]))
            problem = f"task {task!r} has no language {missing!r}"
            faults.append(InputFault(place_of("languages", lines), problem, remedy))
    return faults


def _doubled_faults(raw: dict[str, object], lines: dict[str, int]) -> list[InputFault]:
    """Names that stand twice in a list, and the one field that is not a person's to set."""
    faults: list[InputFault] = []
    for field in ("tasks", "languages"):
        names = _texts(raw.get(field))
        for name in sorted({name for name in names if names.count(name) > 1}):
            place = place_of(field, lines)
            faults.append(InputFault(place, f"{name!r} stands there twice", "name it once"))
    if raw.pop("kind", None) is not None:
        remedy = "remove it; `gradefarm gate run` proves a verifier"
        faults.append(InputFault(place_of("kind", lines), "a campaign file has no kind", remedy))
    return faults


def _system_faults(raw: dict[str, object], lines: dict[str, int]) -> list[InputFault]:
    """Agents that nobody knows, and settings that theirs does not take."""
    faults: list[InputFault] = []
    for number, system in enumerate(_items(raw.get("systems"))):
        agent, settings = _agent_of(system)
        table = f"systems[{number}]"
        if agent is None:
            continue
        if agent not in AGENTS:
            place = place_of(f"{table}.agent", lines)
            faults.append(InputFault(place, _no_agent(agent), _choose(agent, list(AGENTS))))
            continue
        try:
            AGENT_SETTINGS[agent].model_validate(settings)
        except ValidationError as error:
            faults += [_setting_fault(item, agent, table, lines) for item in error.errors()]
    return faults


def _no_agent(agent: str) -> str:
    if agent == SUBJECT_AGENT:
        return f"the agent {agent!r} is there for gates only"
    return f"there is no agent {agent!r}"


def _setting_fault(item: ErrorDetails, agent: str, table: str, lines: dict[str, int]) -> InputFault:
    place = place_of(f"{table}.{_dotted(('settings', *item['loc']))}", lines)
    known = f"the agent {agent} takes these settings: "
    known += ", ".join(AGENT_SETTINGS[agent].model_fields) or "none"
    if item["type"] == "extra_forbidden":
        return InputFault(place, "no such setting", known)
    return InputFault(place, problem_of(item), f"{remedy_of(item)}; {known}")


def _doubled_systems(raw: dict[str, object], lines: dict[str, int]) -> list[InputFault]:
    """Systems of one name, and systems that are one under two names."""
    faults: list[InputFault] = []
    names: dict[str, str] = {}
    identities: dict[str, str] = {}
    for number, system in enumerate(_items(raw.get("systems"))):
        table = f"systems[{number}]"
        name, identity = _name_of(system), _identity_of(system)
        if name in names:
            problem = f"{names[name]} has the same name: {name}"
            place = place_of(f"{table}.name", lines)
            faults.append(InputFault(place, problem, "give every system a name of its own"))
        if identity in identities:
            problem = f"{identities[identity]} has the same agent and settings"
            remedy = "remove one of them, or change a setting"
            faults.append(InputFault(place_of(table, lines), problem, remedy))
        if name is not None:
            names.setdefault(name, table)
        if identity is not None:
            identities.setdefault(identity, f"{table} {name!r}")
    return faults


def _budget_faults(raw: dict[str, object], lines: dict[str, int]) -> list[InputFault]:
    """Budgets that no run could reserve its part of; other faults are the schema's to report."""
    try:
        budget = Budget.model_validate(raw.get("budget", {}))
        limits = CampaignLimits.model_validate(raw.get("limits", {}))
    except ValidationError:
        return []
    return [
        InputFault(place_of(f"budget.{field}", lines), why, PAID_BY[field])
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


def _field_fault(item: ErrorDetails, lines: dict[str, int]) -> InputFault:
    path = _dotted(item["loc"])
    kind = item["type"]
    if kind == "extra_forbidden":
        return InputFault(place_of(path, lines), "no such field", _known_fields(item["loc"]))
    remedy = remedy_of(item)
    if kind == "value_error":
        remedy = "change one of them, or put them together"
    return InputFault(place_of(path, lines) or "the file", problem_of(item), remedy)


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
