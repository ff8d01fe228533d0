"""Who may sign, as the log tells it: leaves that name keys, signed by those who may say so."""

import base64
from collections.abc import Iterable
from enum import StrEnum

from models.canonical import canonical_bytes
from models.records.exact_base64 import read_base64
from models.records.log_leaves import FARM_KEY, read_leaf
from models.records.refusal import RecordRefused
from models.records.signing_keys import KeyRole, SigningKey, is_signed, key_id
from models.schemas.log_leaf import KeyLeaf
from models.schemas.trust import TrustedKey, TrustPolicy

ROOT, PREVIOUS = "root", "previous"


class KeyAction(StrEnum):
    """A key becomes good; it is good no longer; it fell into other hands."""

    ADD = "add"
    RETIRE = "retire"
    REVOKE = "revoke"


def key_leaf(
    log: str, action: KeyAction, role: KeyRole, public: str, signers: dict[str, SigningKey]
) -> str:
    """A leaf about a key. `signers` are the root, and for a key that takes the place of a good one
    also that one, as `previous`."""
    content = {
        "v": 1,
        "kind": FARM_KEY,
        "log": log,
        "action": action.value,
        "role": role.value,
        "public": public,
    }
    data = canonical_bytes(content)
    signed = {by: base64.b64encode(key.sign(data)).decode() for by, key in signers.items()}
    return canonical_bytes({**content, "signed": signed}).decode()


class TrustReader:
    """Reads the leaves of a log in their order, and knows whom to trust as they make it.

    What is no leaf at all is passed over: `LogMonitor` tells of it.
    """

    def __init__(self, log: str, root: str) -> None:
        self.faults: list[str] = []
        self._log, self._root = log, root
        self._keys: dict[str, TrustedKey] = {}

    def take(self, position: int, leaf: str) -> None:
        """Go on by one leaf. One that is not signed as it must be is a fault, and counts for
        nothing."""
        content = _content(leaf)
        if content is None:
            return
        if not _is_allowed(content, self._log, self._root, self._keys):
            self.faults.append(f"the key leaf at {position} is not signed as it must be")
            return
        name = key_id(KeyRole(content.role), content.public)
        if content.action != KeyAction.ADD:
            self._keys[name] = _ended(self._keys[name], position, content.action)
        elif name not in self._keys:
            self._keys[name] = TrustedKey(
                id=name, role=content.role, public=content.public, first=position
            )

    def policy(self) -> TrustPolicy:
        """Whom to trust by the leaves until here."""
        return TrustPolicy(log=self._log, root=self._root, keys=tuple(self._keys.values()))


def trust_of(
    log: str, root: str, leaves: Iterable[tuple[int, str]]
) -> tuple[TrustPolicy, tuple[str, ...]]:
    """The trust policy that the leaves, given with their positions in order, make; and what is
    wrong with them. See `TrustReader`."""
    reader = TrustReader(log, root)
    for position, leaf in leaves:
        reader.take(position, leaf)
    return reader.policy(), tuple(reader.faults)


def _ended(key: TrustedKey, position: int, action: str) -> TrustedKey:
    """A key that has ended already ends no later, and one that was revoked stays so."""
    until = position if key.until is None else min(key.until, position)
    revoked = key.revoked or action == KeyAction.REVOKE
    return key.model_copy(update={"until": until, "revoked": revoked})


def current_key(keys: Iterable[TrustedKey], role: KeyRole) -> TrustedKey | None:
    """The newest key of a role that is still good."""
    good = [key for key in keys if key.role == role and key.until is None]
    return good[-1] if good else None


def _content(leaf: str) -> KeyLeaf | None:
    # Most leaves are of runs, and need not be read.
    if f'"kind":"{FARM_KEY}"' not in leaf:
        return None
    try:
        found = read_leaf(leaf)
    except RecordRefused:
        return None
    return found if isinstance(found, KeyLeaf) else None


def _is_allowed(content: KeyLeaf, log: str, root: str, keys: dict[str, TrustedKey]) -> bool:
    data = canonical_bytes(content.model_dump(exclude={"signed"}))
    role, signed = KeyRole(content.role), content.signed
    if content.log != log or not _signs(root, data, signed.get(ROOT, "")):
        return False
    if content.action != KeyAction.ADD:
        return key_id(role, content.public) in keys
    before = current_key(keys.values(), role)
    return before is None or _signs(before.public, data, signed.get(PREVIOUS, ""))


def _signs(public: str, data: bytes, signature: str) -> bool:
    try:
        return is_signed(public, data, read_base64(signature))
    except ValueError:
        return False
