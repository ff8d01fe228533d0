"""How a conversation is put to a language model in the format of one kind of provider. Pure."""

from collections.abc import Mapping
from typing import Protocol

from models.schemas.chat_settings import ChatSettings
from workers.agents.chat.conversation import Conversation
from workers.agents.chat.replies import Reply


class StreamedReply(Protocol):
    """A reply that comes in pieces."""

    def take(self, event: object) -> None:
        """One more event of the stream, parsed."""
        ...

    def reply(self) -> Reply:
        """What has come so far; `cut` where its end is missing."""
        ...


class ChatFormat(Protocol):
    """One format. Reading never raises: whatever a provider sends is a reply of some kind."""

    @property
    def path(self) -> str:
        """The path at the gateway."""
        ...

    def headers(self, key: str) -> dict[str, str]:
        """How the key is shown."""
        ...

    def body(
        self, settings: ChatSettings, conversation: Conversation, seed: int | None
    ) -> Mapping[str, object]:
        """The request."""
        ...

    def whole(self, value: object) -> Reply:
        """The reply in a body that was not streamed, parsed."""
        ...

    def stream(self) -> StreamedReply:
        """A new reply that comes in pieces."""
        ...
