"""A step of an agent's work as text, whoever's it is."""

from models.plain_text import printable
from models.schemas.transcript import TranscriptStep


def print_step(step: TranscriptStep) -> None:
    """One step with when it happened, how it ended and what it printed; of a model's
    reply, what became of it."""
    ended = "" if step.exit_code is None else f"  -> exit {step.exit_code}"
    if isinstance(fate := step.data.get("fate"), str):
        ended = f"  -> {printable(fate.replace('_', ' '))}"
    print(f"\n[{step.number}] {step.at:8.2f} s  {step.kind}{ended}")
    print(printable(step.text))
    if step.output:
        print(printable(step.output))
