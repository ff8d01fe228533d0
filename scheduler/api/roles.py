"""Which role a request needs. Pure, and closed by default: a new route can't be forgotten."""

import re

from models.schemas.api_token import TokenRole

READING = frozenset({"GET", "HEAD", "OPTIONS"})
PROBES = frozenset({"/healthz", "/readyz"})
"""Asked by whatever keeps the process running, which holds no token."""
ANSWERS = re.compile(r"/api/artifacts(/.*)?|/api/runs/[^/]*/expected/?")
"""What may hold answers."""
FOR_ADMINS = re.compile(r"/api/tokens(/.*)?")
STEERING_OF_ALL = re.compile(r"/api/(workers|systems)(/.*)?")
"""Whoever changes these changes them for the campaigns of everybody."""


def needed_role(method: str, path: str) -> TokenRole | None:
    """The least role for a request, None where anybody may ask."""
    if path in PROBES:
        return None
    if ANSWERS.fullmatch(path) or FOR_ADMINS.fullmatch(path):
        return TokenRole.ADMIN
    if method in READING:
        return TokenRole.READ
    return TokenRole.ADMIN if STEERING_OF_ALL.fullmatch(path) else TokenRole.SCHEDULE
