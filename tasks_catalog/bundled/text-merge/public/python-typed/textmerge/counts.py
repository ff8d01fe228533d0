"""How a merge went."""

from dataclasses import dataclass


@dataclass
class Counts:
    """Kept lines, and regions by what decided them."""

    kept: int = 0
    theirs: int = 0
    mine: int = 0
    same: int = 0
    conflicts: int = 0

    def text(self) -> str:
        return (
            f"kept={self.kept} theirs={self.theirs} mine={self.mine}"
            f" same={self.same} conflicts={self.conflicts}"
        )
