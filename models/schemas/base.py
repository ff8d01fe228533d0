"""The common ground of every schema: immutable, closed, strict about unknown keys."""

from pydantic import BaseModel, ConfigDict


class Schema(BaseModel):
    """A frozen value that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
