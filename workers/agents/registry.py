"""From the name of an agent to the agent."""

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from models.schemas.agents import (
    CommandSettings,
    ScriptedSettings,
    StochasticSettings,
    SubjectSettings,
    validate_settings,
)
from models.schemas.base import Schema
from models.schemas.chat_settings import ChatSettings
from models.schemas.preset_settings import PresetSettings
from models.schemas.replay_settings import ReplaySettings
from workers.agents.adapter import AgentAdapter
from workers.agents.chat.chat_agent import ChatAgent
from workers.agents.command import CommandAgent
from workers.agents.idle import IdleAgent
from workers.agents.preset_agent import PresetAgent
from workers.agents.replay import ReplayAgent
from workers.agents.scripted import ScriptedAgent
from workers.agents.stochastic import StochasticAgent
from workers.agents.subject import ReferenceAgent, SubjectAgent

SIMPLE: dict[str, Callable[[], AgentAdapter]] = {"idle": IdleAgent, "reference": ReferenceAgent}
"""Agents without settings."""


def agent_for(agent: str, settings: Mapping[str, JsonValue]) -> AgentAdapter:
    """A new agent with its settings. Raises InvalidInput for an unknown one or bad settings."""
    typed = validate_settings(agent, dict(settings))
    return SIMPLE[agent]() if agent in SIMPLE else _with_settings(typed)


def _with_settings(settings: Schema) -> AgentAdapter:
    match settings:
        case SubjectSettings():
            return SubjectAgent(settings)
        case StochasticSettings():
            return StochasticAgent(settings)
        case ScriptedSettings():
            return ScriptedAgent(settings)
        case CommandSettings():
            return CommandAgent(settings)
        case ChatSettings():
            return ChatAgent(settings)
        case PresetSettings():
            return PresetAgent(settings)
        case ReplaySettings():
            return ReplayAgent(settings)
        case _:
            raise AssertionError(f"{type(settings).__name__} belongs to no agent")
