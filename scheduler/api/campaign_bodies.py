"""What a client sends to make a campaign, and its faults with their places in the JSON."""

import re
from typing import Annotated, Any, cast

from fastapi import Header
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from models.canonical import digest_of
from models.errors import InputFault, InvalidInput
from models.schemas.campaign import CampaignKind, CampaignSpec
from models.schemas.campaign_request import LONGEST_KEY, CampaignRequest
from scheduler.api.access import Principal
from scheduler.api.request_faults import pointer_to
from scheduler.campaign_faults import VariantsByTask, checked_campaign

STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
EXAMPLE: dict[str, Any] = {
    "spec": {
        "name": "nightly",
        "tasks": ["circuit-breaker"],
        "languages": ["python", "go"],
        "repeats": 8,
        "systems": [
            {
                "name": "my-agent",
                "agent": "command",
                "settings": {"argv": ["my-agent", "--yes", "{ticket}"]},
            }
        ],
    },
    "unproven": False,
}

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=LONGEST_KEY,
        pattern="^[!-~]+$",
        description="Chosen by the client. The same key with the same body is carried out once, "
        "and answered with the same campaign.",
    ),
]


class NewCampaign(BaseModel):
    """A campaign to start: the content of a campaign file."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"example": EXAMPLE})

    spec: dict[str, JsonValue]
    unproven: bool = Field(
        default=False,
        description="Although a verifier is not proved; marks the results as unpublishable.",
    )


class NewRegrade(BaseModel):
    """A campaign whose frozen snapshots are to be graded again."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"example": {"campaign": "demo-2", "again": False}},
    )

    campaign: str = Field(max_length=100)
    again: bool = Field(default=False, description="Also where nothing changed.")
    unproven: bool = False


def spec_of(body: NewCampaign, variants: VariantsByTask) -> CampaignSpec:
    """The campaign that a body describes.

    Raises InvalidInput that lists every fault, each with a JSON pointer into the body.
    """
    raw = dict(cast("dict[str, object]", body.spec))
    if raw.get("kind") == CampaignKind.EVALUATION:
        del raw["kind"]
    try:
        return checked_campaign(raw, "the campaign", variants, _place)
    except ValueError as error:
        # Of a value that has no canonical form, such as an integer beyond 2^53.
        fault = InputFault("#/spec", str(error), "send values that JSON can carry exactly")
        raise InvalidInput("the campaign", [fault]) from error


def request_of(who: Principal, key: str | None, body: BaseModel) -> CampaignRequest:
    """What is asked, by whom, under which key. Raises InvalidInput for what nobody can keep."""
    try:
        asked = {"kind": type(body).__name__, "asked": body.model_dump_json()}
    except ValueError as error:
        fault = InputFault("#", "a text that is not Unicode", "remove half surrogate pairs")
        raise InvalidInput("the campaign", [fault]) from error
    return CampaignRequest(actor=who.name, key=key, digest=digest_of(asked))


def _place(path: str) -> str:
    parts: list[int | str] = [
        int(number) if number else name for number, name in STEP.findall(path)
    ]
    return pointer_to(["spec", *parts])
