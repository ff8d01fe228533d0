"""From a probed machine to a running worker: register, serve, take up late languages."""

import logging
import os
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import cast

# Celery ships no types.
from celery.platforms import SecurityWarning  # pyright: ignore[reportMissingTypeStubs]
from celery.signals import (  # pyright: ignore[reportMissingTypeStubs]
    heartbeat_sent,
    setup_logging,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
)
from prometheus_client import CollectorRegistry

from models.clock import SystemClock
from models.errors import Refused
from models.event_log import begin_log
from models.messaging.broker_protocols import Signal, WorkerConsumer, WorkerOptions
from models.messaging.queues import agent_queue, grade_queue, subject_queue
from models.metrics_server import serve_metrics
from models.migrations.upgrade import wait_for_database
from models.settings import Settings
from models.storage.transaction import DATABASE_ERRORS, open_database
from tasks_catalog.catalog import open_catalog
from workers.broker_silence import say_silence_once
from workers.celery_app import refuse_foreign_code, worker_app
from workers.event_batches import CONSUMER
from workers.fitness import LOOK_EVERY_S, Fitness, RestingLanguages
from workers.hands import HandsOnDemand, WorkerPlan
from workers.languages.language_runtime import LanguageRuntime
from workers.late_languages import LateLanguages
from workers.machine_probe import Machine
from workers.registration import Registration
from workers.role import Role
from workers.stage_tallies import StageTallies
from workers.worker_log import full_trace, log_event, safe_text
from workers.worker_name import claim_name

DATABASE_PATIENCE_S = 30.0
LATE_LOOK_S = 0.25


def queues_of(role: Role, languages: Iterable[str]) -> tuple[str, ...]:
    """The queues that a worker of `role` serves, grading first within each language."""
    kinds = {"agent": (agent_queue,), "grade": (grade_queue, subject_queue)}
    names = [kind for stage in reversed(role.stages) for kind in kinds[stage]]
    return tuple(kind(language) for language in sorted(languages) for kind in names)


def serve(settings: Settings, role: Role, machine: Machine, slots: int, name: str) -> None:
    """Register this worker and run jobs until told to end. Does not return.

    Raises Refused where there is nothing to serve or foreign code could be imported.
    """
    if not machine.languages and not machine.cold:
        raise _nothing_to_serve(settings, machine)
    if role is not Role.AGENT:
        held = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
        held.refuse_public_alone(f"a worker of the role {role}")
    folder = private_folder(settings)
    os.chdir(folder)
    refuse_foreign_code(folder)
    formatter = begin_log("worker", settings.log)
    plan = WorkerPlan(
        settings=settings,
        name=claim_name(settings.database_url, name).name,
        languages=machine.languages,
        isolation=machine.isolation_label,
        holds_sealed=role is not Role.AGENT,
        cold=machine.cold,
        fitness=Fitness((*machine.languages, *machine.cold)),
        tallies=StageTallies((*machine.languages, *machine.cold)),
    )
    formatter.name_worker(plan.name)
    serve_counts(plan)
    registration = Registration(plan, role.stages, slots)
    service = Service(plan, role, registration)
    service.begin()
    hands = HandsOnDemand(plan)
    cast("Signal", heartbeat_sent).connect(registration.beat, weak=False)
    heard = say_silence_once(settings.broker_url, SystemClock())
    cast("Signal", worker_ready).connect(heard, weak=False)
    cast("Signal", worker_ready).connect(service.watch, weak=False)
    cast("Signal", worker_process_init).connect(_Opening(hands), weak=False)
    cast("Signal", worker_process_shutdown).connect(_Closing(hands), weak=False)
    known = open_catalog(settings.catalog_public, None, settings.languages).languages()
    app = worker_app(settings.broker_url, tuple(known), hands)
    app.set_current()
    # As root, judged code runs under users of its own, which no other user could give it.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    # Not by Celery's command line: that imports every command, Flower's included.
    worker = app.Worker(**worker_options(plan.name, service.queues, slots))
    worker.start()
    sys.exit(worker.exitcode)


def serve_counts(plan: WorkerPlan) -> None:
    """Serve what this worker's processes count, where settings name a port."""
    settings = plan.settings
    # Celery would make a log of its own; its messages go where all others go.
    cast("Signal", setup_logging).connect(_leave_logs, weak=False)
    if settings.metrics_port is None:
        return
    registry = CollectorRegistry()
    registry.register(plan.tallies)
    port = serve_metrics(registry, settings.metrics_address, settings.metrics_port)
    log_event("metrics_served", SystemClock().now(), address=settings.metrics_address, port=port)


def _leave_logs(**_: object) -> None:
    pass


def _nothing_to_serve(settings: Settings, machine: Machine) -> Refused:
    if not machine.unready:
        return Refused(
            f"there is no language definition (*.toml) in {settings.languages}.",
            remedy="Set GRADEFARM_LANGUAGES to a folder of language definitions, or unset it.",
        )
    problems = "; ".join(f"{u.problem} {u.remedy}" for u in machine.unready)
    return Refused("this machine serves no language.", remedy=problems)


def worker_options(name: str, queues: tuple[str, ...], slots: int) -> WorkerOptions:
    """How the Celery worker is run. Gossip and mingle leave queues behind for ever."""
    return {
        "hostname": name,
        "queues": queues,
        "concurrency": slots,
        "pool_cls": "prefork",
        "consumer_cls": CONSUMER,
        "loglevel": logging.WARNING,
        "quiet": True,
        "task_events": True,
        "without_gossip": True,
        "without_mingle": True,
    }


def private_folder(settings: Settings) -> Path:
    """The folder that workers run in: nobody else may write there."""
    folder = settings.home / "worker"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


class Service:
    """What one worker serves: the languages that are ready, each late one as it gets ready, and
    none in which its stages are void again and again."""

    def __init__(self, plan: WorkerPlan, role: Role, registration: Registration) -> None:
        self._role = role
        self._registration = registration
        self._languages = dict(plan.languages)
        self._late = LateLanguages(plan.cold)
        self._resting = RestingLanguages(plan.fitness)
        self._clock = SystemClock()
        self._url = plan.settings.database_url
        self._unwritten = False

    @property
    def queues(self) -> tuple[str, ...]:
        """The queues of all languages that are served now."""
        return queues_of(self._role, self._served())

    def _served(self) -> dict[str, LanguageRuntime]:
        return {n: r for n, r in self._languages.items() if n not in self._resting.names}

    def begin(self) -> None:
        """Start to warm what is cold; register as soon as the database is there."""
        self._late.start()
        database = open_database(self._url)
        try:
            wait_for_database(database, DATABASE_PATIENCE_S)
        finally:
            database.close()
        self._write()

    def watch(self, sender: WorkerConsumer, **_: object) -> None:
        """The worker consumes, for the first time or again: its timers are new."""
        sender.timer.call_repeatedly(LOOK_EVERY_S, lambda: self.look_at_fitness(sender))
        if self._late.warming:
            sender.timer.call_repeatedly(LATE_LOOK_S, lambda: self._look(sender))

    def look_at_fitness(self, consumer: WorkerConsumer) -> None:
        """Stop to take work in languages that fail, and try again those that have rested."""
        change = self._resting.look(self._clock.monotonic(), self._others_serve)
        for language in change.stop:
            for queue in queues_of(self._role, (language,)):
                consumer.cancel_task_queue(queue)
            remedy = "see stage_void above; what was mended is proved when the worker starts again"
            log_event("language_rests", self._clock.now(), language=language, remedy=remedy)
        for language in change.resume:
            for queue in queues_of(self._role, (language,)):
                consumer.add_task_queue(queue)
            log_event("language_tried_again", self._clock.now(), language=language)
        if change.stop or change.resume:
            self._unwritten = True
        self._write_if_needed()

    def _others_serve(self, language: str) -> bool:
        return self._registration.others_serve(queues_of(self._role, (language,)))

    def _look(self, consumer: WorkerConsumer) -> None:
        def take_up(runtime: LanguageRuntime) -> None:
            language = runtime.definition.id
            self._languages[language] = runtime
            for queue in queues_of(self._role, (language,)):
                consumer.add_task_queue(queue)

        self._unwritten = self._late.poll(take_up) or self._unwritten
        self._write_if_needed()

    def _write_if_needed(self) -> None:
        if self._unwritten:
            try:
                self._write()
            except DATABASE_ERRORS as error:
                # The next look tries again; the language is served meanwhile.
                log_event("registration_failed", self._clock.now(), error=safe_text(error))

    def _write(self) -> None:
        self._registration.write(
            self.queues,
            self._served(),
            warming=self._late.warming,
            resting=self._resting.names,
        )
        self._unwritten = False


class _Opening:
    """Opens the hands of a pool child before its first job, which then need not wait for it."""

    def __init__(self, hands: HandsOnDemand) -> None:
        self._hands = hands

    def __call__(self, **_: object) -> None:
        try:
            self._hands.get()
        except Exception as error:
            # The first job tries again, and says in the right place what is wrong.
            log_event("opening_failed", SystemClock().now(), error=full_trace(error))


class _Closing:
    """Closes the hands of a pool child that ends."""

    def __init__(self, hands: HandsOnDemand) -> None:
        self._hands = hands

    def __call__(self, **_: object) -> None:
        self._hands.close()
