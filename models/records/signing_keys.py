"""Ed25519 keys by their role."""

import base64
import hashlib
from dataclasses import dataclass
from enum import StrEnum

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from models.errors import InputFault, InvalidInput


class KeyRole(StrEnum):
    """What a key may sign: the agent stage, the verdict, the log's checkpoints, other keys."""

    RECORDER = "recorder"
    GRADER = "grader"
    LOG = "log"
    ROOT = "root"


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key with its role."""

    role: KeyRole
    private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        """The 32 bytes of the public key, in base64."""
        return base64.b64encode(self.private.public_key().public_bytes_raw()).decode()

    @property
    def id(self) -> str:
        """What the key is called: see `key_id`."""
        return key_id(self.role, self.public)

    def sign(self, data: bytes) -> bytes:
        """The signature over `data`, 64 bytes."""
        return self.private.sign(data)

    def as_pem(self) -> bytes:
        """The private key as text, unencrypted."""
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def key_id(role: KeyRole, public: str) -> str:
    """The role, and the first 16 hexadecimal digits of the SHA-256 of the public key."""
    return f"{role}-{hashlib.sha256(base64.b64decode(public)).hexdigest()[:16]}"


def new_key(role: KeyRole) -> SigningKey:
    """A key that nobody has yet."""
    return SigningKey(role, Ed25519PrivateKey.generate())


def key_from_pem(role: KeyRole, pem: bytes, source: str) -> SigningKey:
    """The key in `pem`. Raises InvalidInput, naming `source`, for anything else."""
    try:
        private = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        fault = InputFault(
            source,
            "is not an unencrypted Ed25519 private key in PEM",
            f"make one: `gradefarm keys new {role} -o FILE`",
        )
        raise InvalidInput("the keys", [fault])
    return SigningKey(role, private)


def is_signed(public: str, data: bytes, signature: bytes) -> bool:
    """Whether `signature` is that of the key whose public half is `public`."""
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public, validate=True))
        key.verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True
