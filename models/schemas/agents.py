"""The settings that each kind of agent takes, for campaign files and for the agents alike."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, JsonValue, ValidationError, field_validator, model_validator

from models.errors import InputFault, InvalidInput
from models.schemas.base import Schema
from models.schemas.chat_settings import ChatSettings
from models.schemas.gate import (
    FAULT_PREFIX,
    REFERENCE,
    STARTER,
    Control,
    control_of,
    control_subject,
)
from models.schemas.model_replies import ToldBy
from models.schemas.preset_settings import PresetSettings
from models.schemas.replay_settings import ReplaySettings
from models.schemas.task import LONGEST_CHECK_WALL_S


class NoSettings(Schema):
    """Settings of an agent that takes none."""


class SubjectSettings(Schema):
    """Which known input the verifier is given: `reference`, `starter`, `fault:<id>` or
    `control:<id>`.

    `repeat` tells the same subject apart where a gate asks for it more than once, and orders its
    checks. `check_wall_s` cuts the time that each check of a control gets.
    """

    subject: str
    repeat: int = Field(default=1, ge=1)
    check_wall_s: float | None = Field(default=None, gt=0, le=LONGEST_CHECK_WALL_S)

    @field_validator("subject")
    @classmethod
    def _is_known(cls, value: str) -> str:
        is_fault = value.removeprefix(FAULT_PREFIX) not in ("", value)
        if value in (REFERENCE, STARTER) or is_fault or control_of(value):
            return value
        controls = ", ".join(map(control_subject, Control))
        raise ValueError(f"must be {REFERENCE}, {STARTER}, {FAULT_PREFIX}<id> or one of {controls}")

    @model_validator(mode="after")
    def _only_controls_are_cut(self) -> Self:
        if self.check_wall_s is not None and not control_of(self.subject):
            raise ValueError("check_wall_s is for controls: all else has the task's limits")
        return self


class StochasticSettings(Schema):
    """An agent that solves with a known probability; equal settings always choose alike.

    `fail_with`: what it leaves otherwise: one planted fault, the untouched starter, or either.
    """

    solve_probability: float = Field(ge=0, le=1)
    seed: int = 0
    fail_with: Literal["fault", "starter", "mixed"] = "fault"


class ScriptedSettings(Schema):
    """Shell commands, run one after the other in the sandboxed workspace."""

    actions: tuple[str, ...] = Field(min_length=1)


class CommandSettings(Schema):
    """Any agent with a command line.

    In `argv`, {ticket} stands for the ticket's text and {ticket_file} for the path of a file
    that holds it. `ticket` says how it is handed over where no placeholder does: as the last
    argument, as a file only, or on standard input. `env` is set for the agent's process.
    """

    argv: tuple[str, ...] = Field(min_length=1)
    ticket: Literal["argument", "file", "stdin"] = "argument"
    env: dict[str, str] = Field(default_factory=dict)


SUBJECT_AGENT = "subject"
"""The agent of gate campaigns, whose systems are subjects."""

AGENT_SETTINGS: dict[str, type[Schema]] = {
    "reference": NoSettings,
    "idle": NoSettings,
    SUBJECT_AGENT: SubjectSettings,
    "stochastic": StochasticSettings,
    "scripted": ScriptedSettings,
    "command": CommandSettings,
    "chat": ChatSettings,
    "preset": PresetSettings,
    "replay": ReplaySettings,
}
"""Every agent that a campaign may name, with the shape of its settings."""

MODEL_AGENTS = frozenset({"command", "chat", "preset"})
"""Agents in which a language model may take part."""

GATEWAY_AGENTS = frozenset({"chat", "preset"})
"""Agents that can't work on a farm without a gateway."""

COUNTED_AGENTS: Mapping[str, ToldBy] = {"chat": "farm", "preset": "agent", "replay": "recording"}
"""Agents whose transcripts count the replies of a language model, and who told of them."""

SCRIPTED_AGENTS = frozenset(AGENT_SETTINGS) - MODEL_AGENTS
"""All others; boards mark them."""


def validate_settings(agent: str, settings: dict[str, JsonValue]) -> Schema:
    """The settings of `agent`, typed. Raises InvalidInput that lists every fault."""
    schema = AGENT_SETTINGS.get(agent)
    if schema is None:
        known = ", ".join(sorted(AGENT_SETTINGS))
        fault = InputFault("agent", f"there is no agent {agent!r}", f"choose one of: {known}")
        raise InvalidInput("system", [fault])
    try:
        return schema.model_validate(settings)
    except ValidationError as error:
        known = ", ".join(schema.model_fields) or "none"
        faults = [
            InputFault(
                ".".join(["settings", *(str(part) for part in item["loc"])]),
                item["msg"],
                f"the agent {agent} takes these settings: {known}",
            )
            for item in error.errors()
        ]
        raise InvalidInput(f"system with the agent {agent}", faults) from error
