"""What a sandbox proved it can enforce on this machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ability:
    """One thing a sandbox must do: whether a canary proved it, how, and what to do if not.

    `enforced_by` says by what means (empty when not ok); `remedy` is empty when nothing is to do.
    """

    name: str
    ok: bool
    enforced_by: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Isolation:
    """The report of one probe."""

    driver: str
    abilities: tuple[Ability, ...]

    @property
    def complete(self) -> bool:
        """Whether every ability was proved."""
        return all(ability.ok for ability in self.abilities)

    def missing(self) -> tuple[Ability, ...]:
        """The abilities that were not proved, in report order."""
        return tuple(ability for ability in self.abilities if not ability.ok)
