"""Chain, trees, seals, checkpoints and canonical lines, for all sizes and many values."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.canonical import canonical_bytes
from models.records.canonical_lines import read_canonical, writable
from models.records.dsse import envelope_of, seal, signed_bytes, signer_of
from models.records.event_chain import EventChain, Moment, joined, read_chain, split_lines
from models.records.log_leaves import read_leaf, void_leaf
from models.records.log_proof import LogProof, read_proof
from models.records.merkle import (
    EMPTY,
    GrowingTree,
    completed,
    consistency_path,
    inclusion_path,
    is_consistent,
    leaf_hash,
    node_hash,
    nodes_of,
    root_from_inclusion,
    root_of,
    tree_root,
)
from models.records.refusal import Reason, RecordRefused
from models.records.signed_note import Checkpoint, signed_checkpoint, verify_checkpoint
from models.records.signing_keys import KeyRole, key_from_pem, new_key
from models.schemas.record_event import EventType
from models.schemas.trust import TrustPolicy
from tests.fakes.record_forge import LOG, trusted

LEAVES = [leaf_hash(str(number).encode()) for number in range(65)]


def plain_root(leaves: list[bytes]) -> bytes:
    """The root as RFC 6962 defines it, word by word."""
    if len(leaves) < 2:
        return leaves[0] if leaves else EMPTY
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return node_hash(plain_root(leaves[:half]), plain_root(leaves[half:]))


def test_every_leaf_of_every_tree_up_to_64_has_its_proof_and_no_other() -> None:
    for size in range(1, 65):
        root, node = plain_root(LEAVES[:size]), nodes_of(LEAVES[:size])
        assert root_of(LEAVES[:size]) == root
        for index in range(size):
            path = inclusion_path(index, size, node)
            assert root_from_inclusion(LEAVES[index], index, size, path) == root
            for other in ([*path, root], path[:-1], path[::-1] if len(path) > 1 else [root]):
                if other != path:
                    assert root_from_inclusion(LEAVES[index], index, size, other) != root
            assert root_from_inclusion(LEAVES[index], index + 1, size, path) != root
            assert root_from_inclusion(LEAVES[64], index, size, path) != root


def test_every_tree_up_to_64_grows_out_of_every_smaller_one_and_of_no_other() -> None:
    for size in range(1, 65):
        node, new = nodes_of(LEAVES[:size]), (size, root_of(LEAVES[:size]))
        for old in range(1, size + 1):
            path, before = consistency_path(old, size, node), root_of(LEAVES[:old])
            assert is_consistent((old, before), new, path)
            assert not is_consistent((old, LEAVES[64]), new, path)
            assert not is_consistent((old, before), new, [*path, before])
            assert not path or not is_consistent((old, before), new, path[1:])
            assert not is_consistent((old, before), (size, LEAVES[64]), path)
    assert not is_consistent((0, EMPTY), (1, LEAVES[0]), [])


def test_a_tree_that_grows_has_every_root_and_keeps_a_hash_for_each_bit_of_its_size() -> None:
    tree = GrowingTree()
    for size in range(65):
        assert (tree.size, tree.root()) == (size, plain_root(LEAVES[:size]))
        assert vars(tree).keys() == {"size", "_peaks"}
        assert len(vars(tree)["_peaks"]) == size.bit_count()
        tree.add(str(size).encode())


def test_a_log_that_keeps_complete_subtrees_only_has_the_same_roots() -> None:
    kept: dict[tuple[int, int], bytes] = {}

    def node(level: int, index: int) -> bytes:
        return LEAVES[index] if level == 0 else kept[level, index]

    for size, leaf in enumerate(LEAVES[:64]):
        kept.update({(level, index): made for level, index, made in completed(size, leaf, node)})
        assert tree_root(size + 1, node) == root_of(LEAVES[: size + 1])
    assert tree_root(0, node) == EMPTY


values = st.recursive(
    st.none() | st.booleans() | st.text() | st.floats() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(), values, max_size=3), min_size=1, max_size=6))
def test_whatever_is_noted_is_read_back_and_no_line_can_go(bodies: list[dict[str, Any]]) -> None:
    chain = EventChain("1", "recorder")
    for body in bodies:
        chain.add(EventType.NOTE, body, Moment(1, 2), ("agent", "x"))
    lines = split_lines(joined(chain.lines))
    assert [event.body for event in read_chain(lines)] == [writable(body) for body in bodies]
    for gone in range(len(lines) - 1):
        with pytest.raises(RecordRefused):
            read_chain(lines[:gone] + lines[gone + 1 :])


@given(st.dictionaries(st.text(max_size=3), values, max_size=3).map(writable))
def test_a_line_has_one_form(value: dict[str, Any]) -> None:
    line = canonical_bytes(value)
    assert read_canonical(line, "it") == value
    for other in (json.dumps({"x": value}, indent=1).encode(), line + b" ", b" " + line):
        with pytest.raises(RecordRefused):
            read_canonical(other, "it")


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b'{"b":1,"a":1}',
        b'{"a": 1}',
        b'{"a":1.0}',
        b'{"a":1e3}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1152921504606846976}',
        b'{"a":' + b"9" * 5_000 + b"}",
        b'{"a":-0}',
        b'{"a":"\\ud800"}',
        b'{"a":"\\u0041"}',
        b'{"a":"\xff"}',
        b"\xef\xbb\xbf{}",
        b"[]",
        b"1",
        b"",
        b"[" * 100_000,
    ],
    ids=lambda line: line[:24],
)
def test_what_two_readers_may_read_differently_is_refused(line: bytes) -> None:
    with pytest.raises(RecordRefused) as refused:
        read_canonical(line, "it")
    assert refused.value.reason is Reason.NOT_CANONICAL


@given(st.binary(), st.binary(min_size=1, max_size=1), st.integers(min_value=0))
def test_a_seal_holds_for_its_payload_alone(payload: bytes, other: bytes, at: int) -> None:
    key = new_key(KeyRole.GRADER)
    sealed = envelope_of(seal(payload, key).as_json())
    assert signer_of(sealed, [trusted(key)], "grader").id == key.id
    changed = bytearray(payload or b"x")
    changed[at % len(changed)] ^= other[0] or 1
    forged = type(sealed)(bytes(changed), sealed.signatures)
    with pytest.raises(RecordRefused):
        signer_of(forged, [trusted(key)], "grader")
    with pytest.raises(RecordRefused):
        signer_of(sealed, [trusted(key)], "recorder")


def test_what_a_seal_signs_is_the_encoding_of_dsse() -> None:
    # The example of the specification.
    assert signed_bytes("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


@given(st.integers(min_value=1, max_value=2**40), st.binary(min_size=32, max_size=32))
def test_a_checkpoint_is_believed_only_as_the_log_signed_it(size: int, root: bytes) -> None:
    key, stranger = new_key(KeyRole.LOG), new_key(KeyRole.LOG)
    trust = TrustPolicy(log=LOG, root=stranger.public, keys=(trusted(key),))
    note = signed_checkpoint(Checkpoint(LOG, size, root), key)
    assert verify_checkpoint(note, trust) == Checkpoint(LOG, size, root)
    proof = LogProof(3, (root,), note)
    assert read_proof(proof.as_text().encode(), "it") == proof
    for forged in (
        signed_checkpoint(Checkpoint(LOG, size, root), stranger),
        note.replace(f"\n{size}\n", f"\n{size + 1}\n"),
        note.replace(f"\n{size}\n", f"\n0{size}\n"),
        note.replace("\n\n", "\nmore\n\n"),
        note.partition("\n\n")[0],
        note + signed_checkpoint(Checkpoint(LOG, size, root), stranger).partition("\n\n")[2],
        f"{note}any text at all\n\n\n",
        note.removesuffix("\n"),
    ):
        with pytest.raises(RecordRefused) as refused:
            verify_checkpoint(forged, trust)
        assert refused.value.reason is Reason.CHECKPOINT


def test_a_revoked_key_signs_no_log_of_whatever_size() -> None:
    key = new_key(KeyRole.LOG)
    stolen = TrustPolicy(log=LOG, root=key.public, keys=(trusted(key, until=500, revoked=True),))
    note = signed_checkpoint(Checkpoint(LOG, 5, b"r" * 32), key)
    with pytest.raises(RecordRefused) as refused:
        verify_checkpoint(note, stolen)
    assert refused.value.reason is Reason.CHECKPOINT


def test_a_key_is_read_back_from_its_file() -> None:
    key = new_key(KeyRole.RECORDER)
    assert key_from_pem(KeyRole.RECORDER, key.as_pem(), "it").id == key.id


@pytest.mark.parametrize("version", [b"true", b"2"])
def test_a_leaf_is_of_version_1_and_of_nothing_that_equals_it(version: bytes) -> None:
    leaf = void_leaf("7", 1, "unknown")
    assert read_leaf(leaf).v == 1
    with pytest.raises(RecordRefused) as refusal:
        read_leaf(leaf.replace('"v":1', f'"v":{version.decode()}'))
    assert refusal.value.reason is Reason.STRANGE_LEAF
