"""Which role a request needs. Pure, and closed by default: what is not named here is an admin's."""

import re

from models.errors import NotFound
from models.schemas.api_token import TokenRole

READING = frozenset({"GET", "HEAD", "OPTIONS"})
PROBES = frozenset({"/healthz", "/readyz"})
"""Asked by whatever keeps the process running, which holds no token."""
ANSWERS = re.compile(r"/api/runs/.*expected.*", re.DOTALL)
"""What holds answers, below what may be read."""
READ = re.compile(
    r"/metrics|/api/openapi\.json|/api/docs"
    r"|/api/(farm|variants|catalogue|campaigns|regrades|runs|recordings|boards|gates|workers|systems)(/.*)?",
    re.DOTALL,
)
SCHEDULED = re.compile(r"/api/(campaigns|regrades|gates)(/.*)?", re.DOTALL)
"""What schedulers change. Whoever changes anything else changes it for everybody."""
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def needed_role(method: str, path: str) -> TokenRole | None:
    """The least role for a request, None where anybody may ask. `path` is decoded."""
    if path in PROBES:
        return None
    if method in READING:
        is_open = READ.fullmatch(path) and not ANSWERS.fullmatch(path)
        return TokenRole.READ if is_open else TokenRole.ADMIN
    return TokenRole.SCHEDULE if SCHEDULED.fullmatch(path) else TokenRole.ADMIN


def refuse_control_characters(path: str) -> None:
    """Raises NotFound for a decoded path that holds any: routing may look past a line's end."""
    if CONTROL.search(path):
        raise NotFound(
            "no path here holds control characters.", remedy="Remove %00 to %1F and %7F from it."
        )
