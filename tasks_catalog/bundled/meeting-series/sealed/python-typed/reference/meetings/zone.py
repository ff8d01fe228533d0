"""The clocks of one zone."""

from collections.abc import Sequence

Transition = tuple[int, int]


class Zone:
    """A first offset and transitions, each an instant and the offset from then on."""

    def __init__(self, offset: int, transitions: Sequence[Transition]) -> None:
        self._offset = offset
        self._transitions = transitions

    def instant(self, local: int) -> int:
        """Return the instant at which the clocks show this local time."""
        offset = self._offset
        for at, following in self._transitions:
            # The offset before a transition serves for what the clocks repeat and for what they leave out.
            if local < at + max(offset, following):
                break
            offset = following
        return local - offset

    def local(self, instant: int) -> int:
        offset = self._offset
        for at, following in self._transitions:
            if instant < at:
                break
            offset = following
        return instant + offset
