"""A worker whose stages are void again and again in a language gives that language a rest."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from models.migrations.upgrade import upgrade_database
from models.schemas.language import LanguageDefinition
from models.schemas.worker import WorkerRecord
from models.settings import read_settings
from models.storage.transaction import open_database
from models.storage.workers import list_workers, register_worker
from models.verdicts import VoidCategory
from workers.fitness import (
    FIRST_REST_S,
    LONGEST_REST_S,
    MOST_IN_A_ROW,
    Fitness,
    RestChange,
    RestingLanguages,
)
from workers.hands import WorkerPlan
from workers.languages.language_runtime import LanguageRuntime
from workers.registration import Registration
from workers.role import Role
from workers.worker_setup import Service

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
        fitness.note(language, void)


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


def test_a_worker_stops_to_consume_what_it_fails_at_and_says_so_in_its_row(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = read_settings({"GRADEFARM_HOME": str(tmp_path)})
    upgrade_database(settings.database_url)
    database = open_database(settings.database_url)
    languages = {name: plain_runtime(name) for name in ("go", "python")}
    fitness = Fitness(languages)
    plan = WorkerPlan(settings, "w@here", languages, "bubblewrap", True, fitness=fitness)
    registration = Registration(plan, Role.GRADE.stages, slots=1)
    service = Service(plan, Role.GRADE, registration)
    service.begin()
    consumer = Consumer(service.queues)
    fail(fitness, MOST_IN_A_ROW, VoidCategory.MANIFEST_MISMATCH)
    service.look_at_fitness(consumer)
    assert "grade.go" in consumer.queues
    with database.transaction() as session:
        (own,) = list_workers(session)
        register_worker(session, own.model_copy(update={"name": "other@there"}))
    fail(fitness, MOST_IN_A_ROW, VoidCategory.MANIFEST_MISMATCH)
    service.look_at_fitness(consumer)
    assert consumer.queues == {"grade.python", "subject.python"}
    with database.read() as session:
        found: dict[str, WorkerRecord] = {one.name: one for one in list_workers(session)}
    database.close()
    row = found["w@here"]
    assert (set(row.toolchains), row.resting) == ({"python"}, ("go",))
    assert set(row.queues) == consumer.queues
    assert "language_rests" in capfd.readouterr().err
