"""A worker whose stages are void again and again in a language gives that language a rest."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from models.migrations.upgrade import upgrade_database
from models.schemas.language import LanguageDefinition
from models.schemas.worker import Duty, WorkerOrders, WorkerRecord, WorkerState
from models.settings import read_settings
from models.storage.transaction import Database, open_database
from models.storage.workers import beat_worker, list_workers, order_worker, register_worker
from models.verdicts import Component, VoidCategory
from workers.fitness import (
    FIRST_REST_S,
    LONGEST_REST_S,
    LOOK_EVERY_S,
    MOST_IN_A_ROW,
    Fitness,
    RestChange,
    RestingLanguages,
)
from workers.hands import WorkerPlan
from workers.languages.language_runtime import LanguageRuntime
from workers.registration import Company, Registration
from workers.role import Role
from workers.serving import LOOK_S, Service

NOTHING = RestChange((), ())
BROKEN = VoidCategory.SANDBOX_SETUP


def plain_runtime(language: str) -> LanguageRuntime:
    definition = LanguageDefinition.model_validate(
        {
            "schema": 1,
            "id": language,
            "title": language,
            "files": ["*"],
            "toolchain": {
                "candidates": ["x"],
                "version": ["{tool}"],
                "version_pattern": "(x)",
                "minimum": "1",
            },
            "probe_files": {"main": "x"},
            "control_files": {"main": "x"},
            "run": {"argv": ["{tool}"]},
            "test": {"argv": ["sh"]},
        }
    )
    return LanguageRuntime(definition, Path("/opt/x/bin/x"), "1", f"{language} 1", ())


def alone(_: str) -> bool:
    return False


def in_company(_: str) -> bool:
    return True


def fail(fitness: Fitness, times: int, void: VoidCategory = BROKEN, language: str = "go") -> None:
    for _ in range(times):
        fitness.note(language, void, "as planned")


def test_a_language_rests_after_so_many_voids_in_a_row_and_only_then() -> None:
    fitness = Fitness(["go", "python"])
    resting = RestingLanguages(fitness)
    fail(fitness, MOST_IN_A_ROW - 1)
    fitness.note("go", None)
    fail(fitness, MOST_IN_A_ROW - 1)
    assert resting.look(0.0, in_company) == NOTHING
    fail(fitness, 1)
    assert resting.look(1.0, in_company) == RestChange(("go",), ())
    assert resting.look(2.0, in_company) == NOTHING
    assert resting.names == ("go",)


def test_after_a_rest_a_single_void_is_enough_for_a_longer_one() -> None:
    fitness, now = Fitness(["go"]), 0.0
    resting = RestingLanguages(fitness)
    fail(fitness, MOST_IN_A_ROW)
    rest = FIRST_REST_S
    for _ in range(9):
        assert resting.look(now, in_company) == RestChange(("go",), ())
        assert resting.look(now + rest - 1, in_company) == NOTHING
        now += rest
        assert resting.look(now, in_company) == RestChange((), ("go",))
        fail(fitness, 1)
        rest = min(LONGEST_REST_S, rest * 2)
    assert rest == LONGEST_REST_S


def test_a_result_after_a_rest_makes_all_good_again() -> None:
    fitness = Fitness(["go"])
    resting = RestingLanguages(fitness)
    fail(fitness, MOST_IN_A_ROW)
    resting.look(0.0, in_company)
    resting.look(FIRST_REST_S, in_company)
    fitness.note("go", None)
    assert resting.look(FIRST_REST_S + 1, in_company) == NOTHING
    fail(fitness, MOST_IN_A_ROW)
    resting.look(1_000.0, in_company)
    assert resting.look(1_000.0 + FIRST_REST_S, in_company) == RestChange((), ("go",))


@pytest.mark.parametrize("void", [VoidCategory.TOOLCHAIN_MISMATCH, VoidCategory.MANIFEST_MISMATCH])
def test_a_mismatch_is_the_workers_only_where_others_could_do_the_work(void: VoidCategory) -> None:
    fitness = Fitness(["go"])
    resting = RestingLanguages(fitness)
    fail(fitness, MOST_IN_A_ROW, void)
    assert resting.look(0.0, alone) == NOTHING
    fail(fitness, MOST_IN_A_ROW, void)
    assert resting.look(1.0, in_company) == RestChange(("go",), ())


@pytest.mark.parametrize("void", [VoidCategory.GRADER, VoidCategory.PROVIDER_UNAVAILABLE])
def test_what_would_happen_on_any_machine_is_no_reason_to_rest(void: VoidCategory) -> None:
    fitness = Fitness(["go"])
    fail(fitness, 100, void)
    assert fitness.failing() == ()


def test_pool_children_and_their_worker_count_together() -> None:
    fitness = Fitness(["go"])
    for _ in range(MOST_IN_A_ROW):
        child = os.fork()
        if child == 0:
            fitness.note("go", BROKEN)
            os._exit(0)
        os.waitpid(child, 0)
    assert fitness.failing() == ("go",)


class Consumer:
    """The queues that a Celery consumer would take messages from."""

    def __init__(self, queues: tuple[str, ...]) -> None:
        self.queues = set(queues)
        self.timer = self

    def call_repeatedly(self, secs: float, fun: Callable[[], None]) -> object:
        raise AssertionError(f"no timer is set here: {secs}, {fun}")

    def add_task_queue(self, queue: str) -> None:
        self.queues.add(queue)

    def cancel_task_queue(self, queue: str) -> None:
        self.queues.discard(queue)


class SlowRegistration(Registration):
    """Every question takes it ten seconds."""

    def company(self) -> Company:
        found = super().company()
        return replace(found, at=found.at - 10, now=found.now - 10)


def open_service(
    home: Path, names: tuple[str, ...], registration: type[Registration] = Registration
) -> tuple[Service, Database, WorkerPlan]:
    settings = read_settings({"GRADEFARM_HOME": str(home)})
    (home / "worker").mkdir()
    upgrade_database(settings.database_url)
    languages = {name: plain_runtime(name) for name in names}
    plan = WorkerPlan(settings, "w@here", languages, "bubblewrap", True, fitness=Fitness(languages))
    service = Service(plan, Role.GRADE, registration(plan, Role.GRADE.stages, slots=1))
    service.begin()
    return service, open_database(settings.database_url), plan


def look_until(service: Service, consumer: Consumer, fact: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not fact():
        assert time.monotonic() < give_up, consumer.queues
        service.look(consumer)
        time.sleep(0.1)


def record(database: Database, name: str = "w@here") -> WorkerRecord:
    with database.read() as session:
        return next(one for one in list_workers(session) if one.name == name)


def test_a_worker_stops_to_consume_what_it_fails_at_and_says_so_in_its_row(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service, database, plan = open_service(tmp_path, ("go", "python"))
    consumer = Consumer(service.queues)
    fail(plan.fitness, MOST_IN_A_ROW, VoidCategory.MANIFEST_MISMATCH)
    look_until(service, consumer, lambda: not plan.fitness.failing())
    assert "grade.go" in consumer.queues
    with database.transaction() as session:
        register_worker(session, record(database).model_copy(update={"name": "other@there"}))
    fail(plan.fitness, MOST_IN_A_ROW, VoidCategory.MANIFEST_MISMATCH)
    look_until(service, consumer, lambda: "grade.go" not in consumer.queues)
    assert consumer.queues == {"grade.python", "subject.python"}
    look_until(service, consumer, lambda: bool(record(database).rests))
    row = record(database)
    assert (set(row.toolchains), row.resting) == ({"python"}, ("go",))
    assert set(row.queues) == consumer.queues
    (rest,) = row.rests
    assert (rest.category, rest.component) == (VoidCategory.MANIFEST_MISMATCH, Component.CATALOG)
    assert (rest.detail, rest.voids, rest.rests) == ("as planned", MOST_IN_A_ROW, 1)
    assert rest.again_at == pytest.approx(rest.since + FIRST_REST_S)
    assert row.state(0) is WorkerState.SERVING
    assert "language_rests" in caplog.text
    service.close()
    database.close()


def test_an_answer_is_as_fresh_as_its_arrival_however_long_the_question_took(
    tmp_path: Path,
) -> None:
    service, database, plan = open_service(tmp_path, ("go",), SlowRegistration)
    fail(plan.fitness, MOST_IN_A_ROW, VoidCategory.MANIFEST_MISMATCH)
    look_until(service, Consumer(service.queues), lambda: not plan.fitness.failing())
    service.close()
    database.close()


def test_the_next_job_waits_for_a_look_that_asks_and_for_one_that_has_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fitness, slept = Fitness(["go", "python"]), list[float]()
    fail(fitness, MOST_IN_A_ROW)
    with monkeypatch.context() as patched:
        patched.setattr("workers.fitness.time.sleep", slept.append)
        fitness.wait_if_failing("python")
        assert slept == []
        fitness.wait_if_failing("go")
    assert sum(slept) > 2 * (LOOK_EVERY_S + LOOK_S)


def test_a_worker_of_no_use_quarantines_itself_once_another_shows_that_it_can_be_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service, database, plan = open_service(tmp_path, ("go", "python"))
    consumer = Consumer(service.queues)
    for language in ("go", "python"):
        fail(plan.fitness, MOST_IN_A_ROW, language=language)
    look_until(service, consumer, lambda: not consumer.queues)
    look_until(service, consumer, lambda: len(record(database).rests) == 2)
    # Alone it only rests: it may be the farm's trouble.
    look_until(service, consumer, lambda: not service._in_doubt)  # pyright: ignore[reportPrivateUsage]
    assert record(database).state(0) is WorkerState.RESTING
    with database.transaction() as session:
        other = record(database).model_copy(
            # Its own toolchain, in another version: what counts is what it serves.
            update={"name": "other@there", "toolchains": {"go": "go 2"}, "queues": ("grade.go",)}
        )
        register_worker(session, other)
        beat_worker(session, "other@there", time.time(), result_at=time.time() + 1)
    fail(plan.fitness, MOST_IN_A_ROW, language="go")
    resting = service._resting  # pyright: ignore[reportPrivateUsage]
    resting.look(time.monotonic() + 2 * FIRST_REST_S, in_company)
    fail(plan.fitness, 1, language="go")
    fail(plan.fitness, 1, language="python")
    look_until(service, consumer, lambda: record(database).orders.duty is Duty.QUARANTINE)
    row = record(database)
    assert row.state(0) is WorkerState.QUARANTINED
    assert row.orders.by == "worker"
    assert "last sandbox_setup (as planned)" in row.orders.reason
    assert "quarantined" in caplog.text
    service.close()
    again = Service(plan, Role.GRADE, Registration(plan, Role.GRADE.stages, slots=1))
    again.begin()
    assert record(database).orders.duty is Duty.SERVE
    assert again.queues
    again.close()
    database.close()


@pytest.mark.parametrize(
    ("roles", "queues", "result_at", "is_better"),
    [
        (("grade",), ("grade.go", "subject.go"), 501.0, True),
        (("grade",), ("grade.go",), 499.0, False),
        (("grade",), ("grade.python",), 501.0, False),
        (("agent",), ("agent.go",), 501.0, False),
        (("agent", "grade"), ("agent.go", "grade.go"), 501.0, False),
        (("grade",), (), 501.0, False),
    ],
)
def test_only_a_worker_for_the_same_queues_shows_that_it_can_be_done_by_the_farms_clock(
    roles: tuple[str, ...], queues: tuple[str, ...], result_at: float, is_better: bool
) -> None:
    """The first of the voids was 100 s ago: when the farm's clock, far from this one's, showed
    500."""
    other = WorkerRecord(
        name="other@there",
        host="there",
        pid=1,
        roles=roles,
        queues=queues,
        slots=1,
        toolchains={"go": "go 1", "python": "python 1"},
        isolation="bubblewrap",
        result_at=result_at,
        started_at=0.0,
        beat_at=600.0,
    )
    company = Company(at=7_100.0, now=600.0, roles=("grade",), others=(other,))
    assert company.does_better(("grade.go", "subject.go"), since=7_000.0) is is_better
    assert company.serves(("grade.go",)) is ("grade.go" in queues)
    unknown = replace(company, others=None)
    assert not unknown.does_better(("grade.go",), since=7_000.0)
    assert unknown.serves(("grade.go",))


def test_a_drained_worker_takes_nothing_until_it_is_resumed_also_after_a_restart(
    tmp_path: Path,
) -> None:
    service, database, plan = open_service(tmp_path, ("python",))
    consumer = Consumer(service.queues)
    orders = WorkerOrders(duty=Duty.DRAIN, by="operator", since=1.0)
    with database.transaction() as session:
        order_worker(session, "w@here", orders)
    look_until(service, consumer, lambda: not consumer.queues)
    look_until(service, consumer, lambda: record(database).obeys is Duty.DRAIN)
    assert record(database).state(1) is WorkerState.DRAINING
    assert record(database).state(0) is WorkerState.DRAINED
    service.close()
    again = Service(plan, Role.GRADE, Registration(plan, Role.GRADE.stages, slots=1))
    again.begin()
    assert again.queues == ()
    consumer = Consumer(())
    with database.transaction() as session:
        order_worker(session, "w@here", WorkerOrders())
    look_until(again, consumer, lambda: bool(consumer.queues))
    again.close()
    database.close()
