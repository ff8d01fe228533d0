"""What a look at a machine found: one fact, whether it is in order, and what to do if not."""

from enum import StrEnum

from models.schemas.base import Schema


class Severity(StrEnum):
    """`fatal`: the farm can't run. `lack`: it runs, with less. `fine`: nothing to do."""

    FINE = "fine"
    LACK = "lack"
    FATAL = "fatal"


class Finding(Schema):
    """One fact about a machine. `area` groups facts; `remedy` is empty where none is needed."""

    area: str
    name: str
    severity: Severity
    text: str
    remedy: str = ""
