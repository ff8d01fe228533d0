"""What travels through the broker: ids and labels for people, never state or hidden material."""

from models.messaging.queues import queue_for
from models.schemas.agents import SUBJECT_AGENT
from models.schemas.base import Schema
from models.schemas.run import Stage

JOB_NAMES: dict[Stage, str] = {Stage.AGENT: "agent.run", Stage.GRADE: "grade.run"}
"""Few and stable: they become labels of metrics."""

RUN_KEY = "run"


def job_name(stage: Stage) -> str:
    """The name of the job that executes `stage`."""
    return JOB_NAMES[stage]


class StageMessage(Schema):
    """A hint that one stage of one run waits for a worker.

    `token_hint` is the run's token when the hint was written: it makes the job id readable
    and proves nothing; the claim in the database decides. `agent` picks the queue; `system`
    (its name), `task`, `language` and `repeat` only label the job for people.
    """

    run_id: int
    stage: Stage
    token_hint: int
    agent: str
    system: str
    task: str
    language: str
    repeat: int

    @property
    def queue(self) -> str:
        """The queue that this message belongs to."""
        return queue_for(self.stage, self.agent, self.language)

    @property
    def job_id(self) -> str:
        """`<run>.<stage>.<token>`: the same words as in rows and logs."""
        return f"{self.run_id}.{self.stage}.{self.token_hint}"

    @property
    def arguments(self) -> dict[str, int]:
        """The whole payload of the job."""
        return {RUN_KEY: self.run_id}

    @property
    def shown_system(self) -> str:
        """The system's name; of a gate's subjects the kind alone.

        Planted faults are named by what they are about, and every worker can listen to the broker.
        """
        return self.system.partition("-")[0] if self.agent == SUBJECT_AGENT else self.system

    @property
    def shown_arguments(self) -> str:
        """A dict literal for monitors, searchable by key."""
        return repr(
            {
                RUN_KEY: self.run_id,
                "sys": self.shown_system,
                "task": self.task,
                "lang": self.language,
                "rep": self.repeat,
            }
        )
