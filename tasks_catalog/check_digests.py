"""The digests of a task's checks, kept by whoever needs them again: canonical JSON is slow."""

from collections.abc import Mapping
from dataclasses import dataclass

from models.identifiers import Digest
from models.schemas.check import CheckRecord
from tasks_catalog.content_hash import check_digest, joined_digest


@dataclass(frozen=True, slots=True)
class CheckDigests:
    """The digest of the whole set, and of every check by id."""

    manifest: Digest
    by_id: Mapping[str, Digest]


def digest_checks(checks: tuple[CheckRecord, ...]) -> CheckDigests:
    """The digests of exactly these checks."""
    by_id = {check.id: check_digest(check) for check in checks}
    return CheckDigests(joined_digest(by_id.items()), by_id)
