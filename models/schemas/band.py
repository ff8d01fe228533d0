"""An estimate with its interval, its level, its estimand and the sample behind it."""

from typing import Literal, Self

from pydantic import Field, model_validator

from models.schemas.base import Schema

Estimand = Literal["cell", "these_tasks", "tasks_like_these"]
"""What a band speaks about: one cell, the tasks on the board, or tasks drawn like them."""

ESTIMAND_WORDS: dict[Estimand, str] = {
    "cell": "this system's chance to pass this one task in this one language",
    "these_tasks": "the mean chance to pass exactly these tasks, were they run without end",
    "tasks_like_these": "the mean chance to pass tasks drawn from where these were drawn",
}


class Band(Schema):
    """An interval for a mean score; it can't exist without its sample and its void count.

    `n` counts the valid runs behind the estimate, `tasks` the tasks (or cells) they fall in,
    `voids` the runs that infrastructure took out of `n`. Scores are pass rates in [0, 1]
    unless `method` names a score range. `estimate` is None exactly where `n` is 0: no evidence.
    `standard_error` is that of the estimate under `estimand`, None where none was estimated.
    """

    estimate: float | None
    low: float
    high: float
    level: float = Field(gt=0, lt=1)
    estimand: Estimand
    method: str
    n: int = Field(ge=0)
    tasks: int = Field(ge=0)
    voids: int = Field(ge=0)
    standard_error: float | None = Field(default=None, ge=0)

    @property
    def has_evidence(self) -> bool:
        """Whether at least one valid run stands behind the band."""
        return self.n > 0

    @property
    def half_width(self) -> float:
        """Half of the distance between the two ends, in score units."""
        return (self.high - self.low) / 2

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if (self.estimate is None) != (self.n == 0):
            raise ValueError(f"a band has an estimate exactly where it has runs; n is {self.n}")
        middle = self.low if self.estimate is None else self.estimate
        if not self.low <= middle <= self.high:
            raise ValueError(f"the estimate {middle} lies outside [{self.low}, {self.high}]")
        return self


class VoidEnvelope(Schema):
    """The bounds that lost runs leave open: all of them failed ... all of them passed.

    `worst_estimate` and `best_estimate` are the scores under those two assumptions; `low` and
    `high` add the sampling error of either side. `lost` of `launched` runs had no outcome.
    """

    worst_estimate: float
    best_estimate: float
    low: float
    high: float
    level: float = Field(gt=0, lt=1)
    lost: int = Field(ge=1)
    launched: int = Field(ge=1)

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        if not self.low <= self.worst_estimate <= self.best_estimate <= self.high:
            raise ValueError("an envelope's ends must enclose its worst and its best estimate")
        return self
