"""From a probed machine to a running worker: register, serve, take up late languages."""

import ctypes
import logging
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import cast

# Celery ships no types.
from celery.platforms import SecurityWarning  # pyright: ignore[reportMissingTypeStubs]
from celery.signals import (  # pyright: ignore[reportMissingTypeStubs]
    setup_logging,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
)
from prometheus_client import CollectorRegistry

from models.clock import SystemClock
from models.errors import Refused
from models.event_log import begin_log
from models.messaging.broker_protocols import Signal, WorkerOptions
from models.messaging.queues import all_queues
from models.metrics_server import serve_metrics
from models.settings import Settings
from tasks_catalog.catalog import open_catalog
from workers.broker_silence import say_silence_once
from workers.celery_app import refuse_foreign_code, worker_app
from workers.event_batches import CONSUMER
from workers.fitness import Fitness
from workers.hands import HandsOnDemand, WorkerPlan
from workers.machine_probe import Machine
from workers.registration import Registration
from workers.role import Role
from workers.serving import Service
from workers.stage_tallies import StageTallies
from workers.worker_log import full_trace, log_event
from workers.worker_name import claim_name

SET_PARENT_DEATH_SIGNAL = 1


def serve(settings: Settings, role: Role, machine: Machine, slots: int, name: str) -> None:
    """Register this worker and run jobs until told to end. Does not return.

    Raises Refused where there is nothing to serve, foreign code could be imported, or the farm is
    of another version.
    """
    _refuse_unfit(settings, role, machine)
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
    service = Service(plan, role, Registration(plan, role.stages, slots))
    # Who is told to end from here on ends in order; Celery takes the signals over for a moment.
    service.ending.listen()
    service.begin()
    hands = HandsOnDemand(plan)
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
    if not service.queues:
        # Celery takes "no queue" for "every queue".
        app.amqp.queues.deselect(all_queues(tuple(known)))
    worker.consumer.while_waiting = service.wait_for_broker
    worker.start()
    service.close()
    sys.exit(worker.exitcode)


def _refuse_unfit(settings: Settings, role: Role, machine: Machine) -> None:
    if not machine.languages and not machine.cold:
        raise _nothing_to_serve(settings, machine)
    if role is not Role.AGENT:
        held = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
        held.refuse_public_alone(f"a worker of the role {role}")


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


class _Opening:
    """Opens the hands of a pool child before its first job, which then need not wait for it."""

    def __init__(self, hands: HandsOnDemand) -> None:
        self._hands = hands

    def __call__(self, **_: object) -> None:
        # Nobody hears of what a child does whose worker was killed, and nobody could end it.
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
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
