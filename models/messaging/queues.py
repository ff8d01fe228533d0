"""The names of the queues, and which queue a stage of a run is sent to."""

from models.schemas.agents import SUBJECT_AGENT
from models.schemas.run import Stage

SEALED_AGENTS = frozenset({"reference", "stochastic", SUBJECT_AGENT})
"""Agents that need the sealed half of a task: their agent stage runs on grade workers."""


def agent_queue(language: str) -> str:
    """Where systems work that must never hold the sealed half."""
    return f"agent.{language}"


def subject_queue(language: str) -> str:
    """Where trusted agents work that need the sealed half."""
    return f"subject.{language}"


def grade_queue(language: str) -> str:
    """Where frozen runs are graded."""
    return f"grade.{language}"


def queue_for(stage: Stage, agent: str, language: str) -> str:
    """The queue of one stage of a run of `agent` in `language`."""
    if stage is Stage.GRADE:
        return grade_queue(language)
    return subject_queue(language) if agent in SEALED_AGENTS else agent_queue(language)


def all_queues(languages: tuple[str, ...]) -> tuple[str, ...]:
    """Every queue of a farm with `languages`, sorted by kind, then language."""
    kinds = (agent_queue, grade_queue, subject_queue)
    return tuple(name(language) for name in kinds for language in sorted(languages))
