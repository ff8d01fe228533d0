"""A broker in memory that loses, doubles and holds back messages when it is told to."""

from collections.abc import Sequence

from models.messaging.messages import StageMessage


class ModelBroker:
    """Holds what it was sent until it is taken; the farm's MessageSender and BrokerMemory."""

    def __init__(self) -> None:
        self.held: list[StageMessage] = []
        self.delayed: list[StageMessage] = []
        self._epoch: str | None = None

    def send(self, messages: Sequence[StageMessage]) -> None:
        """Hold them."""
        self.held += messages

    def remembers(self, epoch: str) -> bool:
        """Whether it holds its data still."""
        return self._epoch == epoch

    def plant(self, epoch: str) -> None:
        """Leave the mark."""
        self._epoch = epoch

    def holds(self, queue: str) -> int:
        """How many messages of a queue are there; one that is delayed is not."""
        return sum(message.queue == queue for message in self.held)

    def forget(self) -> None:
        """Lose everything, the mark too."""
        self.held, self._epoch = [], None

    def take(self, place: int) -> StageMessage | None:
        """Any of the messages, for good."""
        return self.held.pop(place % len(self.held)) if self.held else None

    def take_all(self) -> list[StageMessage]:
        """All messages, for good."""
        taken, self.held = self.held, []
        return taken
