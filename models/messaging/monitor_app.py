"""The Celery application that monitors are pointed at: it knows the queues, and no job's code.

`celery --app=models.messaging.monitor_app flower`
"""

from models.messaging.celery_factory import build_celery
from models.settings import current_settings

_settings = current_settings()

app = build_celery(
    _settings.broker_url, tuple(sorted(path.stem for path in _settings.languages.glob("*.toml")))
)
