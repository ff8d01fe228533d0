"""Who may sign, as the log tells it: leaves that name keys, signed by those who may say so."""

import base64
from collections.abc import Iterable
from enum import StrEnum

from models.canonical import canonical_bytes
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


def trust_of(
    log: str, root: str, leaves: Iterable[tuple[int, str]]
) -> tuple[TrustPolicy, tuple[str, ...]]:
    """The trust policy that the leaves, given with their positions in order, make; and what is
    wrong with those that are not signed as they must be, which count for nothing.

    What is no leaf at all is passed over: `monitored` tells of it.
    """
    keys: dict[str, TrustedKey] = {}
    faults: list[str] = []
    for position, leaf in leaves:
        content = _content(leaf)
        if content is None:
            continue
        if not _is_allowed(content, log, root, keys):
            faults.append(f"the key leaf at {position} is not signed as it must be")
            continue
        name = key_id(KeyRole(content.role), content.public)
        if content.action != KeyAction.ADD:
            keys[name] = _ended(keys[name], position, content.action)
        elif name not in keys:
            keys[name] = TrustedKey(
                id=name, role=content.role, public=content.public, first=position
            )
    return TrustPolicy(log=log, root=root, keys=tuple(keys.values())), tuple(faults)


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
        return is_signed(public, data, base64.b64decode(signature, validate=True))
    except ValueError:
        return False
