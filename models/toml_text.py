"""TOML that somebody wrote, whatever is wrong with it."""

import tomllib


def read_toml(text: str) -> dict[str, object]:
    """The table that `text` is. Raises ValueError, also for what Python's reader can't hold."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
