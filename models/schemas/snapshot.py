"""A frozen workspace: a manifest of entries over one pack of contents."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Annotated, Literal

from pydantic import Field

from models.canonical import canonical_bytes
from models.schemas.base import Schema

_BASE64 = "base64:"


class SnapshotFile(Schema):
    """A regular file: `size` bytes of the pack from `offset` on, with their SHA-256 in hex.

    `path` is written as `encode_name` writes it, relative to the workspace.
    """

    kind: Literal["file"] = "file"
    path: str
    executable: bool
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    offset: int = Field(ge=0)


class SnapshotLink(Schema):
    """A symbolic link as text; `escapes` if following it could leave the workspace."""

    kind: Literal["link"] = "link"
    path: str
    target: str
    escapes: bool


class SnapshotDirectory(Schema):
    """A directory, listed even when empty."""

    kind: Literal["directory"] = "directory"
    path: str


SnapshotEntry = Annotated[
    SnapshotFile | SnapshotLink | SnapshotDirectory, Field(discriminator="kind")
]


class SnapshotNote(Schema):
    """Something in the workspace that the snapshot leaves out, and why."""

    path: str
    reason: Literal["fifo", "socket", "device", "unreadable", "excluded"]


class SnapshotManifest(Schema):
    """Everything that a snapshot holds, sorted by the bytes of the paths.

    Times, owners, permissions other than the x bit and extended attributes are not kept, so that
    the same tree has the same manifest wherever and whenever it was frozen.
    """

    schema_version: Literal[1] = 1
    entries: tuple[SnapshotEntry, ...]
    notes: tuple[SnapshotNote, ...] = ()

    def canonical(self) -> bytes:
        """The manifest as RFC 8785 JSON: what is stored, sent and hashed."""
        return canonical_bytes(self.model_dump(mode="json"))

    def snapshot_id(self) -> str:
        """SHA-256 of the canonical manifest in hex; covers the contents by their digests."""
        return hashlib.sha256(self.canonical()).hexdigest()


def encode_name(raw: bytes) -> str:
    """A file name or path as text: UTF-8 where possible, else `base64:` and its base64."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = _BASE64
    if text.startswith(_BASE64):
        return _BASE64 + base64.b64encode(raw).decode("ascii")
    return text


def decode_name(text: str) -> bytes:
    """The bytes behind `encode_name`. Raises ValueError for text that it never writes."""
    if not text.startswith(_BASE64):
        return text.encode("utf-8")
    try:
        raw = base64.b64decode(text[len(_BASE64) :], validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {text!r}") from error
    if encode_name(raw) != text:
        raise ValueError(f"written in base64 without need: {text!r}")
    return raw
