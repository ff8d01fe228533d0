"""Draws the tests that the farm adds to a suite: nobody can know their names or their fates."""

import secrets
import string

from models.schemas.suite import CANARY_NAME, CanaryTexts
from workers.checks.suite_decision import Canaries

NAME_LETTERS = 20


def draw_canaries(texts: CanaryTexts) -> Canaries:
    """Each failing test once and as many passing ones, under random names in random order."""
    chosen = [(text, False) for text in texts.failing]
    chosen += [(secrets.choice(texts.passing), True) for _ in texts.failing]
    secrets.SystemRandom().shuffle(chosen)
    parts: list[str] = []
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for text, passes in chosen:
        name = "".join(secrets.choice(string.ascii_lowercase) for _ in range(NAME_LETTERS))
        parts.append(text.replace(CANARY_NAME, name))
        names[passes].add(texts.native.replace(CANARY_NAME, name))
    return Canaries("".join(parts), frozenset(names[True]), frozenset(names[False]))
