"""One reply of a language model, whatever format it came in. Pure."""

from dataclasses import dataclass

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
