"""What travels through a real broker, and what a worker refuses to start with."""

import base64
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import redis
from celery.app.defaults import NAMESPACES, flatten

from models.errors import NotFound, Refused
from models.messaging.celery_factory import KEY_PREFIX, configuration
from models.messaging.job_sender import BrokerUnavailable, JobSender
from models.messaging.messages import StageMessage
from models.messaging.queues import SEALED_AGENTS, all_queues, queue_for
from models.schemas.agents import AGENT_SETTINGS
from models.schemas.run import Stage
from models.settings import broker_socket, default_broker_url
from scheduler.embedded_farm.broker import (
    broker_answers,
    broker_command,
    find_broker_binary,
    prepare_broker,
)
from tests.conftest import miss
from tests.integration.test_worker import wait_for
from workers.celery_app import refuse_foreign_code
from workers.role import Role
from workers.serving import queues_of


def message(run: int = 1, language: str = "python", agent: str = "scripted") -> StageMessage:
    return StageMessage(
        run_id=run,
        stage=Stage.AGENT,
        token_hint=4,
        agent=agent,
        system="fault-late",
        task="circuit-breaker",
        language=language,
        repeat=2,
    )


class Broker:
    """A broker that can be killed and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        prepare_broker(home)
        self.start()

    def start(self) -> None:
        command = broker_command(find_broker_binary().path, self.home)
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        assert wait_for(lambda: broker_answers(broker_socket(self.home)), 20)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def client(self) -> "redis.Redis[bytes]":
        return redis.Redis(unix_socket_path=str(broker_socket(self.home)))


@pytest.fixture
def broker() -> Iterator[Broker]:
    with tempfile.TemporaryDirectory(prefix="gf-") as name:
        try:
            running = Broker(Path(name))
        except OSError as error:
            miss(f"a broker ({error})")
        yield running
        running.kill()


@pytest.fixture
def sender(broker: Broker) -> Iterator[JobSender]:
    sending = JobSender(default_broker_url(broker.home), ("python", "go"))
    yield sending
    sending.close()


@pytest.mark.real
def test_a_message_carries_the_run_and_nothing_else(broker: Broker, sender: JobSender) -> None:
    sender.send([message(run=7)])
    raw = cast(
        "dict[str, Any]",
        json.loads(cast("bytes", broker.client().lpop(KEY_PREFIX + "agent.python"))),
    )
    arguments, keywords, _ = json.loads(base64.b64decode(raw["body"]))
    assert (arguments, keywords) == ([], {"run": 7})
    headers = raw["headers"]
    assert (headers["task"], headers["id"]) == ("agent.run", "7.agent.4")
    shown = "{'run': 7, 'sys': 'fault-late', 'task': 'circuit-breaker', 'lang': 'python', 'rep': 2}"
    assert headers["kwargsrepr"] == shown


@pytest.mark.real
def test_a_sender_survives_the_loss_of_the_broker(broker: Broker, sender: JobSender) -> None:
    sender.send([message(run=1)])
    broker.kill()
    with pytest.raises(BrokerUnavailable):
        sender.send([message(run=2)])
    broker.start()
    sender.send([message(run=3)])
    assert broker.client().llen(KEY_PREFIX + "agent.python") >= 1


@pytest.mark.real
def test_a_message_for_an_unknown_language_stops_the_whole_batch(
    broker: Broker, sender: JobSender
) -> None:
    with pytest.raises(NotFound, match=r"agent\.cobol"):
        sender.send([message(run=1), message(run=2, language="cobol")])
    assert broker.client().llen(KEY_PREFIX + "agent.python") == 0


def test_every_setting_is_one_that_celery_knows() -> None:
    known = {name for name, _ in flatten(NAMESPACES)}
    assert set(configuration("redis://localhost", ("python",))) <= known


def test_agents_that_need_the_sealed_half_work_where_it_is() -> None:
    assert set(AGENT_SETTINGS) >= SEALED_AGENTS
    for agent in AGENT_SETTINGS:
        queue = queue_for(Stage.AGENT, agent, "go")
        assert queue == ("subject.go" if agent in SEALED_AGENTS else "agent.go")
        assert queue_for(Stage.GRADE, agent, "go") == "grade.go"


def test_the_two_roles_serve_every_queue_once() -> None:
    served = (*queues_of(Role.AGENT, ("go", "python")), *queues_of(Role.GRADE, ("go", "python")))
    assert sorted(served) == sorted(all_queues(("go", "python")))
    assert sorted(queues_of(Role.ALL, ("go", "python"))) == sorted(served)


def test_a_worker_refuses_to_run_where_others_may_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(Refused, match="can be written by others"):
        refuse_foreign_code(tmp_path)
    tmp_path.chmod(0o700)
    refuse_foreign_code(tmp_path)
