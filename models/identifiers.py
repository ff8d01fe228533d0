"""Distinct types for identifiers, so that one cannot be passed where another is meant."""

import re
from typing import NewType

CampaignId = NewType("CampaignId", str)
"""`<slug>-<n>`, unique in a farm, for example `demo-3`."""

SystemId = NewType("SystemId", str)
"""The first 16 hexadecimal digits of the SHA-256 of a system's canonical settings."""

TaskId = NewType("TaskId", str)
LanguageId = NewType("LanguageId", str)
CheckId = NewType("CheckId", str)
FaultId = NewType("FaultId", str)

RunId = NewType("RunId", int)
"""The primary key of a run row."""

AttemptId = NewType("AttemptId", int)
"""The primary key of an attempt row."""

Token = NewType("Token", int)
"""The fencing token of a run: grows by one with every lease that is given out."""

Digest = NewType("Digest", str)
"""`sha256:` and 64 lower-case hexadecimal digits."""

SHOWN_DIGITS = 12


def short_digest(digest: str, digits: int = SHOWN_DIGITS) -> str:
    """The first digits of a digest, for people: enough to tell apart what one farm holds."""
    return digest.removeprefix("sha256:")[:digits]


SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
"""What campaign names, system names, task, language, check and fault ids look like."""


def is_slug(text: str) -> bool:
    """Whether `text` may serve as a name: 1 to 64 of a-z, 0-9 and inner hyphens."""
    return SLUG.fullmatch(text) is not None
