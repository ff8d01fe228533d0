"""Checkpoints of the log as signed notes (c2sp.org/signed-note and c2sp.org/tlog-checkpoint)."""

import base64
import hashlib
from dataclasses import dataclass

from models.records.exact_base64 import read_base64
from models.records.refusal import Reason, RecordRefused
from models.records.signing_keys import SigningKey, is_signed
from models.schemas.trust import TrustedKey, TrustPolicy

DASH = "\N{EM DASH}"
ED25519 = b"\x01"
HASH_BYTES = 32


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The log called `origin` had `size` leaves and this root."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def key_hash(origin: str, public: str) -> bytes:
    """The four bytes by which a note hints at the key of a signature."""
    named = origin.encode() + b"\n" + ED25519 + base64.b64decode(public)
    return hashlib.sha256(named).digest()[:4]


def signed_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> str:
    """The checkpoint as a note, signed in the log's name."""
    signature = key_hash(checkpoint.origin, key.public) + key.sign(checkpoint.text.encode())
    return _note(checkpoint, signature)


def _note(checkpoint: Checkpoint, signature: bytes) -> str:
    signed = f"{DASH} {checkpoint.origin} {base64.b64encode(signature).decode()}"
    return f"{checkpoint.text}\n{signed}\n"


def read_checkpoint(note: str) -> Checkpoint:
    """What a note says, whoever signed it. Raises RecordRefused (checkpoint)."""
    text, separator, _ = note.partition("\n\n")
    lines = text.split("\n")
    if not separator or len(lines) != 3 or not lines[0]:
        raise _refused("the checkpoint is no signed note of three lines")
    size, root = _number(lines[1]), _hash(lines[2])
    if size is None or root is None:
        raise _refused("the checkpoint has no size or no root hash")
    return Checkpoint(lines[0], size, root)


def verify_checkpoint(note: str, trust: TrustPolicy) -> Checkpoint:
    """The checkpoint, signed by a key of the log that `trust` names, and by nobody else: nothing
    may stand in it that could be edited. Raises RecordRefused.

    One that was revoked signs nothing more: a checkpoint says its own size, so that whoever stole
    the key would say an early one.
    """
    found = read_checkpoint(note)
    if found.origin != trust.log:
        raise _refused(f"the checkpoint is of the log {found.origin!r}, not of {trust.log!r}")
    keys = [key for key in trust.keys if _may_sign(key, found.size)]
    hints = {key_hash(trust.log, key.public): key for key in keys}
    signature = _signature(note)
    if note != _note(found, signature):
        raise _refused("the checkpoint does not end with one signature of the log")
    key = hints.get(signature[:4])
    if key is None or not is_signed(key.public, found.text.encode(), signature[4:]):
        raise _refused("no key that may sign for the log at that size signed the checkpoint")
    return found


def _may_sign(key: TrustedKey, size: int) -> bool:
    return key.role == "log" and not key.revoked and key.covers(size - 1)


def _signature(note: str) -> bytes:
    """That of the last line; empty where it has none."""
    try:
        return read_base64(note.removesuffix("\n").rpartition(" ")[2])
    except ValueError:
        return b""


def _number(text: str) -> int | None:
    plain = text.isascii() and text.isdigit() and len(text) < 17
    return int(text) if plain and str(int(text)) == text else None


def _hash(text: str) -> bytes | None:
    try:
        root = read_base64(text)
    except ValueError:
        return None
    return root if len(root) == HASH_BYTES else None


def _refused(problem: str) -> RecordRefused:
    return RecordRefused(Reason.CHECKPOINT, f"{problem}.")
