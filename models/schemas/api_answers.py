"""Answers of the HTTP API that are no noun of their own, as servers write and clients read them."""

from typing import Generic, TypeVar

from pydantic import Field

from models.schemas.base import Schema
from models.schemas.campaign_progress import CampaignView

Item = TypeVar("Item")


class Page(Schema, Generic[Item]):
    """Some items of a list. Follow `next` until it is null: a page may be short, even empty."""

    items: tuple[Item, ...]
    next: str | None = Field(description="Give it as `cursor` for the next page; null: no more.")


class PausedCampaign(Schema):
    """A paused campaign, and how many runs at work were taken back."""

    campaign: CampaignView
    interrupted: int
    left: int = Field(
        default=0, description="Runs at work that could not be taken back: the scheduler goes on."
    )


class ProblemFault(Schema):
    """One fault of a request: where, what, and what to do.

    `field` is a JSON pointer into the body (`#/spec/repeats`), or `query.<name>`, `path.<name>`,
    `header.<name>`.
    """

    field: str
    problem: str
    remedy: str = ""


class Problem(Schema, extra="ignore"):
    """RFC 9457 with what every error of the farm has besides: a remedy, a blame, its faults.

    `exit_code` is how the command line ends with the same error.
    """

    type: str
    title: str
    status: int
    detail: str
    remedy: str = ""
    blame: str = ""
    retryable: bool = False
    exit_code: int
    faults: tuple[ProblemFault, ...] = ()
