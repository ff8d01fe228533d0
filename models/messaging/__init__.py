"""The contract between scheduler and workers: message payloads, queues and the one Celery configuration."""
