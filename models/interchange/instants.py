"""Points in time as other programs write them."""

from datetime import UTC, datetime


def epoch_of(text: str | None) -> float | None:
    """ISO 8601 as epoch seconds; without a zone it is UTC. None for what is no time."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def iso_of(epoch: float) -> str:
    """Epoch seconds as ISO 8601 in UTC, to the microsecond."""
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="microseconds")
