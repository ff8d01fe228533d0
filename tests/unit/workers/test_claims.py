"""What a program of the sandbox says of itself is no deed in the record."""

from models.schemas.transcript import TranscriptStep
from workers.stage_events import told_of_step


def test_a_step_that_the_agent_told_is_a_claim() -> None:
    seen = TranscriptStep(number=1, at=0.0, kind="command", text="make", exit_code=0)
    said = seen.model_copy(update={"data": {"told_by": "agent"}})
    note = TranscriptStep(number=1, at=0.0, kind="note", text="a note")
    kind, body = told_of_step(said)
    assert kind == told_of_step(note)[0] != told_of_step(seen)[0]
    assert body["claim"] == "command"
