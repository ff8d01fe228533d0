"""The digests of a task's checks, worked out once for each universe: canonical JSON is slow."""

from collections.abc import Mapping
from dataclasses import dataclass

from models.identifiers import Digest
from models.schemas.check import CheckRecord
from tasks_catalog.content_hash import check_digest, manifest_digest


@dataclass(frozen=True, slots=True)
class CheckDigests:
    """The digest of the whole set, and of every check by id."""

    manifest: Digest
    by_id: Mapping[str, Digest]


def digest_checks(checks: tuple[CheckRecord, ...]) -> CheckDigests:
    """The digests of exactly these checks."""
    return CheckDigests(manifest_digest(checks), {c.id: check_digest(c) for c in checks})
