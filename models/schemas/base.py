"""The common ground of every schema: immutable, closed, strict about unknown keys."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import PydanticCustomError


class Schema(BaseModel):
    """A frozen value that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _whole(value: object) -> object:
    # A literal takes what equals it, also where it is strict: true and 1.0 equal 1.
    if type(value) is not int:
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


FirstVersion = Annotated[Literal[1], BeforeValidator(_whole)]
"""Version 1 of a format, as a whole number and nothing that only equals it."""
