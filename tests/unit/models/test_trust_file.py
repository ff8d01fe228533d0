"""A trust file that can't be meant is refused with everything that is wrong with it."""

import base64
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from models.errors import InvalidInput
from models.records.trust_file import parse_trust
from tests.fakes.record_forge import Farm

SOUND: dict[str, Any] = Farm().trust.model_dump(mode="json")
Change = Callable[[list[dict[str, Any]]], Any]


def faults(change: Change) -> set[tuple[str, str]]:
    content = json.loads(json.dumps(SOUND))
    change(content["keys"])
    with pytest.raises(InvalidInput) as refused:
        parse_trust(json.dumps(content).encode(), "trust.json")
    return {(fault.field, fault.problem) for fault in refused.value.faults}


def told(change: Change) -> str:
    return "; ".join(f"{field} {problem}" for field, problem in sorted(faults(change)))


def test_a_sound_file_is_read() -> None:
    assert parse_trust(json.dumps(SOUND).encode(), "it").model_dump(mode="json") == SOUND


def test_every_fault_is_told_at_once() -> None:
    def change(keys: list[dict[str, Any]]) -> None:
        keys[0]["public"] = base64.b64encode(b"short").decode()
        keys[1] |= {"id": "grader-0", "first": 9, "until": 3}
        keys[2] |= {"role": "root", "first": "0"}
        keys.append(keys[1])
        keys.append({"id": keys[1]["id"], "x": 1})

    found = told(change)
    for words in (
        *("keys names no log key", "keys.0.public has 5 bytes", "keys.1.id is not that of the key"),
        *("keys.1.until is 3, before", "keys.1.public is that of another key too", "keys.2.role"),
        *("keys.2.first", "keys.3.public is that of", "keys.4.id is that of", "keys.4.public"),
        "keys.4.x",
    ):
        assert words in found


def test_a_file_without_keys_is_refused() -> None:
    assert {problem for _, problem in faults(lambda keys: keys.clear())} == {
        f"names no {role} key: no record could hold" for role in ("recorder", "grader", "log")
    }


def test_one_key_for_two_roles_is_refused() -> None:
    def shared(keys: list[dict[str, Any]]) -> None:
        keys[1]["public"] = keys[0]["public"]

    assert "keys.0.public is that of another key too" in told(shared)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"\xff", b'{"keys":5}', b'{"keys":[5,null]}', b"[" * 100_000]
)
def test_what_is_no_trust_file_is_refused_and_crashes_nothing(data: bytes) -> None:
    with pytest.raises(InvalidInput):
        parse_trust(data, "trust.json")


@pytest.mark.parametrize("value", [[], {}, None, True, 5, 1.5, "x", [{}]], ids=repr)
@pytest.mark.parametrize("field", ["id", "role", "public", "first", "until", "revoked"])
def test_a_field_of_any_other_kind_crashes_nothing(field: str, value: object) -> None:
    content = json.loads(json.dumps(SOUND))
    content["keys"][0][field] = value
    with suppress(InvalidInput):
        read = parse_trust(json.dumps(content).encode(), "trust.json")
        assert read.model_dump(mode="json") == content
