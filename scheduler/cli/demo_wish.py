"""What a person asked the demo for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DemoWish:
    """`repeats` None: the bundled number. `languages` empty: those of the demo that are known here.

    `fresh`: another campaign, although one like it is finished or begun.
    """

    repeats: int | None
    languages: tuple[str, ...]
    fresh: bool
