"""The Celery application of the workers, and what it refuses to start with."""

import os
from collections.abc import Callable
from pathlib import Path

import models
import workers
from models.errors import Refused
from models.messaging.broker_protocols import CeleryApp
from models.messaging.celery_factory import build_celery
from models.messaging.messages import job_name
from models.schemas.run import Stage
from workers.broker_questions import take_no_orders
from workers.hands import HandsOnDemand
from workers.jobs import run_job


def worker_app(broker_url: str, languages: tuple[str, ...], hands: HandsOnDemand) -> CeleryApp:
    """An application with both jobs, working with `hands`; it takes no orders over the broker."""
    take_no_orders()
    app = build_celery(broker_url, languages)
    for stage in Stage:
        app.task(name=job_name(stage), shared=False)(_job(stage, hands))
    return app


def _job(stage: Stage, hands: HandsOnDemand) -> Callable[[int], None]:
    def job(run: int) -> None:
        run_job(hands, run, stage)

    return job


def refuse_foreign_code(folder: Path) -> None:
    """Celery looks for modules in the working directory first.

    Raises Refused when others may write to `folder`, or when the packages of the farm do not
    come from one installation: then a stranger's `models.py` could run inside this process.
    """
    status = folder.stat()
    if status.st_mode & 0o022 or status.st_uid not in (0, os.geteuid()):
        raise Refused(
            f"{folder} can be written by others, and workers import from where they run.",
            remedy="Take the write permission away, or give the farm another GRADEFARM_HOME.",
        )
    installed = Path(workers.__file__).resolve().parent.parent
    if Path(models.__file__).resolve().parent.parent != installed:
        raise Refused(
            f"the package models comes from {models.__file__}, not from {installed}.",
            remedy="Start the worker from another folder, without PYTHONPATH.",
        )
