"""The only Celery configuration of the farm."""

from typing import cast

# Celery ships no types; what the farm uses of it is typed by CeleryApp.
from celery import Celery  # pyright: ignore[reportMissingTypeStubs]
from kombu.entity import Queue

from models.messaging.broker_protocols import CeleryApp
from models.messaging.queues import all_queues
from models.protocol import PROTOCOL
from models.schemas.longest_stage import BACKSTOP_S

APP_NAME = "gradefarm"
KEY_PREFIX = f"farm{PROTOCOL}:"
"""Workers of another protocol hear nothing of this one's messages."""
MOST_JOBS_OF_A_CHILD = 2_000
"""A new pool child costs as much as several jobs, and this many make it a few megabytes larger."""
MOST_MEMORY_KIB = 600_000
"""A child that ever needed more, for a huge snapshot say, ends after its job and gives it back."""
VISIBILITY_S = BACKSTOP_S + 86_400
"""Longer than anything can be at work. A message that Redis gives out again after this time, as it
does with what was not acknowledged, has no run any more that it could start twice."""

TRANSPORT: dict[str, object] = {
    "global_keyprefix": KEY_PREFIX,
    "client_name": APP_NAME,
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 5,
    "visibility_timeout": VISIBILITY_S,
    "unacked_restore_interval": 10,
    "unacked_restore_throttle": 1,
    "queue_order_strategy": "round_robin",
}
"""Without `socket_timeout` a publish over a half-open connection waits for ever, and a worker that
waits for work over one hears nothing: it is noticed after twice `health_check_interval`."""


def configuration(
    broker_url: str, languages: tuple[str, ...], *, answer_s: float | None = None
) -> dict[str, object]:
    """Every setting by its Celery name. Lost and doubled messages are harmless by design.

    `answer_s` is how long a broker may be silent, where that is to be another time than a worker's.

    Early acknowledgement and no prefetch, since the lease in the database redelivers; no
    results and no errors in the broker, since monitors show them to everybody.
    """
    transport = TRANSPORT if answer_s is None else TRANSPORT | {"socket_timeout": answer_s}
    return {
        "broker_url": broker_url,
        "broker_transport_options": transport,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_pool_acquire_timeout": 10,
        "task_serializer": "json",
        "event_serializer": "json",
        "accept_content": ["json"],
        "result_accept_content": ["json"],
        "result_backend": None,
        "task_ignore_result": True,
        "task_store_errors_even_if_ignored": False,
        "task_track_started": False,
        "task_acks_late": False,
        "task_reject_on_worker_lost": False,
        "task_retry_on_worker_lost": False,
        "task_publish_retry": False,
        "task_time_limit": BACKSTOP_S,
        "task_queues": [Queue(name, routing_key=name) for name in all_queues(languages)],
        "task_create_missing_queues": False,
        "task_send_sent_event": False,
        "control_queue_expires": 60,
        "worker_disable_prefetch": True,
        "worker_prefetch_multiplier": 1,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_max_tasks_per_child": MOST_JOBS_OF_A_CHILD,
        "worker_max_memory_per_child": MOST_MEMORY_KIB,
        "worker_proc_alive_timeout": 30,
        "worker_send_task_events": True,
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "enable_utc": True,
        "timezone": "UTC",
    }


def build_celery(
    broker_url: str, languages: tuple[str, ...], *, answer_s: float | None = None
) -> CeleryApp:
    """An application that knows the queues of `languages` and refuses every other queue.

    `answer_s` as for `configuration`.
    """
    settings = configuration(broker_url, languages, answer_s=answer_s)
    return cast("CeleryApp", Celery(APP_NAME, set_as_current=False, changes=settings))
