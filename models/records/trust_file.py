"""Reads whom to trust from a file, and says everything that is wrong with it at once."""

import base64
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from pydantic import ValidationError

from models.errors import InputFault, InvalidInput
from models.records.signing_keys import KeyRole, key_id
from models.schemas.trust import TrustPolicy

REMEDY = "get the file from the farm's owner again (`gradefarm keys trust`)"
NEEDED = (KeyRole.RECORDER, KeyRole.GRADER, KeyRole.LOG)
ROLES = tuple(role.value for role in NEEDED)
KEY_BYTES = 32
Key = dict[str, Any]


def parse_trust(data: bytes, source: str) -> TrustPolicy:
    """The trust policy in a file. Raises InvalidInput, naming `source`, with every fault."""
    keys = _keys_in(data)
    faults = [] if keys is None else list(_faults_of_keys(keys))
    policy = None
    try:
        policy = TrustPolicy.model_validate_json(data, strict=True)
    except ValidationError as error:
        faults += [
            (".".join(str(part) for part in one["loc"]) or "it", one["msg"])
            for one in error.errors()
        ]
    if policy is None or faults:
        told = [InputFault(field, problem, REMEDY) for field, problem in dict.fromkeys(faults)]
        raise InvalidInput(source, told)
    return policy


def _keys_in(data: bytes) -> list[object] | None:
    """What the file lists as keys; None where it is of another shape, which the schema tells."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    keys = cast("Key", content).get("keys") if isinstance(content, dict) else None
    return cast("list[object]", keys) if isinstance(keys, list) else None


def _faults_of_keys(keys: list[object]) -> Iterator[tuple[str, str]]:
    known = {at: cast("Key", key) for at, key in enumerate(keys) if isinstance(key, dict)}
    roles = {key.get("role") for key in known.values() if isinstance(key.get("role"), str)}
    for role in NEEDED:
        if role.value not in roles:
            yield "keys", f"names no {role} key: no record could hold"
    for field in ("id", "public"):
        values = {at: key.get(field) for at, key in known.items()}
        times = Counter(value for value in values.values() if isinstance(value, str))
        for at, value in values.items():
            if isinstance(value, str) and times[value] > 1:
                yield f"keys.{at}.{field}", "is that of another key too"
    for at, key in known.items():
        yield from ((f"keys.{at}.{field}", problem) for field, problem in _faults_of(key))


def _faults_of(key: Key) -> Iterator[tuple[str, str]]:
    public, role, first, until = (key.get(name) for name in ("public", "role", "first", "until"))
    if isinstance(first, int) and isinstance(until, int) and until < first:
        yield "until", f"is {until}, before it is good at {first}"
    if not isinstance(public, str):
        return
    try:
        raw = base64.b64decode(public, validate=True)
    except ValueError:
        yield "public", "is no base64"
        return
    if len(raw) != KEY_BYTES:
        yield "public", f"has {len(raw)} bytes, and a key has {KEY_BYTES}"
    elif base64.b64encode(raw).decode() != public:
        yield "public", "is base64 of another form"
    elif role in ROLES and key.get("id") != key_id(KeyRole(role), public):
        yield "id", f"is not that of the key, {key_id(KeyRole(role), public)}"
