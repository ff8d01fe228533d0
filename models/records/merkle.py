"""Merkle trees and their proofs, after RFC 6962 (section 2.1) and RFC 9162 (section 2.1)."""

import hashlib
from collections.abc import Callable, Sequence

Node = Callable[[int, int], bytes]
"""The hash of the complete subtree of 2^level leaves that is number `index` of its level."""
EMPTY = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """The hash of one leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees side by side."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def completed(size: int, leaf: bytes, node: Node) -> list[tuple[int, int, bytes]]:
    """The complete subtrees above the leaves that leaf number `size` finishes, as (level, index,
    hash), lowest first; `node` answers for what was complete before."""
    found: list[tuple[int, int, bytes]] = []
    level, index, hashed = 0, size, leaf
    while index % 2:
        hashed = node_hash(node(level, index - 1), hashed)
        level, index = level + 1, index // 2
        found.append((level, index, hashed))
    return found


def _peaks(start: int, end: int) -> list[tuple[int, int]]:
    """The largest complete subtrees, as (level, index), that cover the leaves from `start`, which
    is where a subtree of that size may begin, up to `end`."""
    found: list[tuple[int, int]] = []
    while start < end:
        level = (end - start).bit_length() - 1
        found.append((level, start >> level))
        start += 1 << level
    return found


def _fold(hashes: Sequence[bytes]) -> bytes:
    """The hash of subtrees side by side, of which each is smaller than the one before."""
    whole = hashes[-1]
    for left in reversed(hashes[:-1]):
        whole = node_hash(left, whole)
    return whole


def _range_hash(start: int, end: int, node: Node) -> bytes:
    return _fold([node(level, index) for level, index in _peaks(start, end)])


def tree_root(size: int, node: Node) -> bytes:
    """The hash of the tree with `size` leaves."""
    return _range_hash(0, size, node) if size else EMPTY


class GrowingTree:
    """A tree that leaves are added to; of it is kept a hash for every bit in its size."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []

    def add(self, data: bytes) -> None:
        """Go on by one leaf."""
        hashed, index = leaf_hash(data), self.size
        while index % 2:
            hashed, index = node_hash(self._peaks.pop(), hashed), index // 2
        self._peaks.append(hashed)
        self.size += 1

    def root(self) -> bytes:
        """The hash of the tree as it is."""
        return _fold(self._peaks) if self._peaks else EMPTY


def _split(size: int) -> int:
    """The largest power of two below `size`, which is 2 at least."""
    return 1 << ((size - 1).bit_length() - 1)


def inclusion_path(index: int, size: int, node: Node) -> list[bytes]:
    """The proof that leaf `index` is in the tree with `size` leaves; 0 <= index < size."""
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_range_hash(middle, end, node))
            end = middle
        else:
            path.append(_range_hash(start, middle, node))
            start = middle
    return path[::-1]


def root_from_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that `path` leads to, None where it has not the length of a proof (RFC 9162,
    2.1.3.2)."""
    if not 0 <= index < size:
        return None
    at, last, hashed = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if at % 2 or at == last:
            hashed = node_hash(sibling, hashed)
            while not at % 2 and at:
                at, last = at >> 1, last >> 1
        else:
            hashed = node_hash(hashed, sibling)
        at, last = at >> 1, last >> 1
    return hashed if last == 0 else None


def consistency_path(old: int, size: int, node: Node) -> list[bytes]:
    """The proof that the tree with `size` leaves begins with that of `old`; 0 < old <= size."""
    path: list[bytes] = []
    start, end, whole = 0, size, True
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(_range_hash(middle, end, node))
            end = middle
        else:
            path.append(_range_hash(start, middle, node))
            start, whole = middle, False
    if not whole:
        path.append(_range_hash(start, end, node))
    return path[::-1]


def is_consistent(old: tuple[int, bytes], new: tuple[int, bytes], path: Sequence[bytes]) -> bool:
    """Whether `path` proves that the tree `new`, given as (size, root), begins with `old`."""
    (first, first_root), (second, second_root) = old, new
    if not 0 < first <= second:
        return False
    rest = list(path)
    try:
        found = _roots(first, second, rest, first_root)
    except IndexError:
        return False
    return not rest and found == (first_root, second_root)


def _roots(old: int, size: int, rest: list[bytes], whole: bytes | None) -> tuple[bytes, bytes]:
    """Both roots as the end of `rest`, which is used up, leads to them; `whole` is the old one
    where it is a subtree of the new. Raises IndexError where `rest` is too short."""
    if old == size:
        found = rest.pop() if whole is None else whole
        return found, found
    half, sibling = _split(size), rest.pop()
    if old <= half:
        before, after = _roots(old, half, rest, whole)
        return before, node_hash(after, sibling)
    before, after = _roots(old - half, size - half, rest, None)
    return node_hash(sibling, before), node_hash(sibling, after)


def nodes_of(leaves: Sequence[bytes]) -> Node:
    """The subtrees of a tree whose leaf hashes are all at hand."""

    def node(level: int, index: int) -> bytes:
        if level == 0:
            return leaves[index]
        return node_hash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))

    return node


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The hash of the tree over these leaf hashes."""
    return tree_root(len(leaves), nodes_of(leaves))
