"""The contract of scheduler and workers: messages, queues, the one Celery configuration."""
