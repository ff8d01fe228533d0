"""A file that somebody else's program wrote: read with every fault at once, each with its place."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from models.errors import InputFault, InvalidInput
from models.interchange.foreign_values import foreign_json

REPAIR = "give the file as the agent wrote it"
MOST_FAULTS = 50
"""A file of another kind has a fault in every line: the first ones say so well enough."""


class Foreign(BaseModel):
    """A shape of another program. What it has beside the named fields is not looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True)
class SourceFile:
    """A file by name, with its bytes."""

    name: str
    data: bytes


@dataclass
class Reading:
    """What was found while a file is read: faults, and what should be told though it is none."""

    file: SourceFile
    faults: list[InputFault] = field(default_factory=list[InputFault])
    told: list[str] = field(default_factory=list[str])

    def fault(self, where: str, problem: str, remedy: str = REPAIR) -> None:
        """Note one fault at `where`: a line, a field or both."""
        self.faults.append(InputFault(where, problem, remedy))

    def finish(self) -> None:
        """Raises InvalidInput with all faults, if there are any."""
        if self.faults:
            raise InvalidInput(self.file.name, self.faults[:MOST_FAULTS])

    def shaped(self, value: JsonValue, shape: type[Shape], where: str) -> Shape | None:
        """`value` as `shape`; None where it has faults, which are noted."""
        try:
            return shape.model_validate(value)
        except ValidationError as error:
            for one in error.errors():
                place = ".".join(str(part) for part in one["loc"])
                self.fault(", ".join(filter(None, (where, place))), one["msg"])
            return None

    def text(self) -> str:
        """The whole file as text. Raises InvalidInput where it is none."""
        try:
            return self.file.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.fault(f"byte {error.start}", "is not UTF-8")
            self.finish()
            raise AssertionError("a fault was noted") from error

    def document(self) -> dict[str, JsonValue]:
        """The whole file as one JSON object. Raises InvalidInput."""
        text = self.text()
        try:
            value = foreign_json(text)
        except ValueError as error:
            self.fault(_place_of(error), f"no JSON: {_reason_of(error)}")
            self.finish()
            raise AssertionError("a fault was noted") from error
        if not isinstance(value, dict):
            self.fault("the document", "is no JSON object")
            self.finish()
            raise AssertionError("a fault was noted")
        return value

    def lines(self) -> Iterator[tuple[int, dict[str, JsonValue]]]:
        """Each line that is a JSON object, with its number from 1.

        A last line that broke off is told and left out: its program was ended while it wrote.
        """
        lines = self.text().split("\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                value = foreign_json(line)
            except ValueError as error:
                if number == len(lines):
                    self.told.append(f"{self.file.name}: line {number} broke off and is left out")
                else:
                    self.fault(f"line {number}", f"no JSON: {_reason_of(error)}")
                continue
            if isinstance(value, dict):
                yield number, value
            else:
                self.fault(f"line {number}", "is no JSON object")


def _place_of(error: Exception) -> str:
    return f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "the document"


def _reason_of(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return str(error)
