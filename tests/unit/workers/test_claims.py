"""What a program of the sandbox says of itself is no deed in its record, and no name."""

import pytest
from pydantic import JsonValue

from models.records.blob_names import blob_of, named_blobs
from models.records.event_chain import EventChain, Moment, read_chain
from models.schemas.transcript import TranscriptStep
from workers.stage_events import told_of_step

NAME: dict[str, JsonValue] = {"sha256": "a" * 64, "size": 1, "media": "text/plain"}


def test_a_step_that_the_agent_told_is_a_claim() -> None:
    seen = TranscriptStep(number=1, at=0.0, kind="command", text="make", exit_code=0)
    said = seen.model_copy(update={"data": {"told_by": "agent"}})
    note = TranscriptStep(number=1, at=0.0, kind="note", text="a note")
    kind, body = told_of_step(said)
    assert kind == told_of_step(note)[0] != told_of_step(seen)[0]
    assert body["claim"] == "command"


@pytest.mark.parametrize(
    "told",
    [
        NAME,
        {"input": NAME},
        {"input": [NAME, {**NAME, "size": 2}]},
        {**NAME, "size": True},
        {"input": {**NAME, "media": NAME}},
        {"input": {**NAME, "media": "m" * 5_000}},
    ],
)
def test_what_a_program_tells_names_no_blob(told: dict[str, JsonValue]) -> None:
    step = TranscriptStep(number=1, at=0.0, kind="tool_call", text="a tool", data=told)
    named = blobs_of(step)
    assert NAME["sha256"] not in named
    # A long text still has its own name, and is the one that has.
    assert len(named) == ("m" * 5_000 in str(told))


def test_a_long_text_and_what_is_no_name_stay_as_they_were() -> None:
    long, other = "x" * 5_000, {"sha256": "a" * 64, "size": 1}
    step = TranscriptStep(number=1, at=0.0, kind="tool_call", text=long, data={"input": other})
    assert told_of_step(step)[1] == {"text": blob_of(long.encode()), "data": {"input": other}}
    assert list(blobs_of(step)) == [blob_of(long.encode())["sha256"]]


def blobs_of(step: TranscriptStep) -> dict[str, int]:
    """What the record of one step names."""
    chain = EventChain("7", "recorder")
    kind, body = told_of_step(step)
    chain.add(kind, body, Moment(0, 0), ("agent", "coder"))
    return named_blobs(read_chain(chain.lines))
