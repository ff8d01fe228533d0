"""What was said between the farm and a language model, in no format yet. Pure."""

from dataclasses import dataclass, replace

from models.schemas.transcript import Fate
from workers.agents.chat.replies import CalledTool, Reply

NOTHING = "(no answer)"
READABLE = (Fate.ACTED_ON, Fate.NUDGED)


@dataclass(frozen=True, slots=True)
class Heard:
    """A message to the model; `answers` gives what its calls of tools came to, by their ids."""

    text: str
    answers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """A reply of the model."""

    text: str
    calls: tuple[CalledTool, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that a model is sent: it knows nothing else."""

    system: str
    messages: tuple[Heard | Said, ...]

    def followed(self, reply: Reply, fate: Fate, told: str) -> "Conversation":
        """The conversation with a reply, and what the model is told upon it.

        Calls of a reply that broke off are left out: they may be halves.
        """
        calls = reply.calls if fate in READABLE else ()
        said = Said(reply.text if reply.text.strip() or calls else NOTHING, calls)
        heard = Heard("", tuple((call.id, told) for call in calls)) if calls else Heard(told)
        return replace(self, messages=(*self.messages, said, heard))
