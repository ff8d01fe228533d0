"""Points in time as other programs write them."""

from datetime import UTC, datetime

from models.interchange.foreign_values import LAST_MOMENT


def epoch_of(text: str | None) -> float | None:
    """ISO 8601 as epoch seconds; without a zone it is UTC. None for what is no time, or
    before 1970."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
        epoch = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return epoch if 0 <= epoch <= LAST_MOMENT else None


def iso_of(epoch: float) -> str:
    """Epoch seconds as ISO 8601 in UTC, to the microsecond."""
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="microseconds")
