"""One reply of a language model, whatever format it came in. Pure."""

from dataclasses import dataclass, replace

from models.canonical import with_canonical_form
from models.schemas.model_call import Stop


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A call of a tool as the model wrote it; `arguments` should be a JSON object."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said. `stop` is why it ended."""

    text: str
    calls: tuple[CalledTool, ...] = ()
    stop: Stop = "stop"

    def legible(self) -> "Reply":
        """With every half of a character joined to its other half, or marked as lost: halves come
        apart where a provider cuts its stream."""
        calls = tuple(
            replace(call, arguments=with_canonical_form(call.arguments)) for call in self.calls
        )
        return replace(self, text=with_canonical_form(self.text), calls=calls)
