"""A broker in memory that can be down, lack queues, and lose everything."""

from collections import defaultdict
from collections.abc import Sequence

from models.errors import NotFound
from models.messaging.job_sender import BrokerUnavailable
from models.messaging.messages import StageMessage


class MemoryBroker:
    """Takes messages and remembers marks, as long as it is up."""

    def __init__(self) -> None:
        self.queues: defaultdict[str, list[StageMessage]] = defaultdict(list)
        self.is_down = False
        self.lacking: set[str] = set()
        self._epoch = ""

    def send(self, messages: Sequence[StageMessage]) -> None:
        self._answer()
        for message in messages:
            if message.queue in self.lacking:
                raise NotFound(f"the farm has no queue {message.queue}.")
        for message in messages:
            self.queues[message.queue].append(message)

    def remembers(self, epoch: str) -> bool:
        self._answer()
        return self._epoch == epoch

    def plant(self, epoch: str) -> None:
        self._answer()
        self._epoch = epoch

    def holds(self, queue: str) -> int:
        self._answer()
        return len(self.queues[queue])

    def lose_everything(self) -> None:
        self.queues.clear()
        self._epoch = ""

    def _answer(self) -> None:
        if self.is_down:
            raise BrokerUnavailable("the broker is down.")
