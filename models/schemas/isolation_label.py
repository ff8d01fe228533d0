"""How a result says in what isolation it was made."""

from collections.abc import Sequence

LACKING = " without "


def isolation_label(driver: str, missing: Sequence[str]) -> str:
    """The driver's name, with every ability that it could not prove."""
    return f"{driver}{LACKING}{','.join(missing)}" if missing else driver


def is_complete(label: str) -> bool:
    """Whether every ability of the sandbox was proved."""
    return bool(label) and LACKING not in label


def driver_of(label: str) -> str:
    """The name of the driver alone."""
    return label.partition(LACKING)[0]
