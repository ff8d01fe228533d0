"""The right of one worker to work on one stage of one run until a time."""

from models.schemas.base import Schema


class LeaseTerms(Schema):
    """Durations in seconds. A lease is renewed every `beat_s` and ends after `lease_s`."""

    lease_s: float = 60.0
    beat_s: float = 15.0
    queue_slot_s: float = 120.0
