"""Canonical bytes (RFC 8785) and digests of JSON values."""

import hashlib
from typing import Any, cast

import rfc8785

from models.identifiers import Digest


def canonical_bytes(value: object) -> bytes:
    """`value` (JSON types only) in the canonical form of RFC 8785, UTF-8."""
    return rfc8785.dumps(cast("Any", value))


def digest_of_bytes(data: bytes) -> Digest:
    """SHA-256 of `data`."""
    return Digest("sha256:" + hashlib.sha256(data).hexdigest())


def digest_of(value: object) -> Digest:
    """SHA-256 of the canonical form of `value`."""
    return digest_of_bytes(canonical_bytes(value))
