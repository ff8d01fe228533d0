"""Reads and writes tar archives of one form: plain files, one after the other, in POSIX ustar.

The many other things that a tar can hold have more than one reading, or unpack to more bytes than
they are.
"""

import re
from collections.abc import Iterator, Mapping

BLOCK = 512
END = bytes(2 * BLOCK)
RECORD = 20 * BLOCK
"""What tar programs pad an archive to."""
OCTAL = re.compile(rb"[0-7]+[ \0]*")
KINDS = {
    **{b"1": "a hard link", b"2": "a symbolic link", b"3": "a device", b"4": "a device"},
    **{b"5": "a folder", b"6": "a pipe", b"S": "a sparse file", b"L": "a long name"},
    **{b"K": "a long link", b"x": "an extended header", b"g": "an extended header"},
}


class NoPlainTar(ValueError):
    """The bytes are no archive of this form; the text says why."""


def pack(files: Mapping[str, bytes]) -> bytes:
    """An archive of the files, names of at most 100 ASCII letters; the same bytes for the same
    files."""
    parts: list[bytes] = []
    for name, data in files.items():
        parts += [_header(name, len(data)), data, bytes(-len(data) % BLOCK)]
    packed = b"".join([*parts, END])
    return packed + bytes(-len(packed) % RECORD)


def unpack(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Every file with its name. Raises NoPlainTar."""
    at = 0
    while (header := data[at : at + BLOCK]).strip(b"\0"):
        name, size = _read(header)
        start = at + BLOCK
        at = start + size + -size % BLOCK
        if at > len(data):
            raise NoPlainTar(f"it is cut within {name!r}")
        if any(data[start + size : at]):
            raise NoPlainTar(f"there are bytes behind {name!r}")
        if header != _header(name, size):
            raise NoPlainTar(f"the header of {name!r} is not as `record export` writes it")
        yield name, data[start : start + size]
    end = at + len(END)
    if len(data) != end + -end % RECORD or data.count(0, at) != len(data) - at:
        raise NoPlainTar("there are bytes behind its end, or it has none")


def _header(name: str, size: int) -> bytes:
    fields = (
        *(name.encode("latin-1").ljust(100, b"\0"), b"0000644\0", b"0000000\0", b"0000000\0"),
        *(b"%011o\0" % size, b"%011o\0" % 0, b" " * 8, b"0", bytes(100), b"ustar\x0000"),
    )
    header = b"".join(fields).ljust(BLOCK, b"\0")
    return header[:148] + b"%06o\0 " % sum(header) + header[156:]


def _read(header: bytes) -> tuple[str, int]:
    """The name and the size of a file. Raises NoPlainTar."""
    name = header[:100].rstrip(b"\0").decode("latin-1")
    if len(header) < BLOCK or header[257:265] != b"ustar\x0000":
        raise NoPlainTar("it is no tar of the form that `record export` writes")
    if _number(header[148:156], "check sum") != sum(header[:148] + b" " * 8 + header[156:]):
        raise NoPlainTar(f"the header of {name!r} was altered")
    kind = header[156:157]
    if kind not in (b"0", b"\0"):
        raise NoPlainTar(f"it holds {KINDS.get(kind, 'something else')}, {name!r}")
    if header[345:500].strip(b"\0"):
        raise NoPlainTar(f"{name!r} has a prefix")
    return name, _number(header[124:136], "size")


def _number(field: bytes, what: str) -> int:
    if not OCTAL.fullmatch(field):
        raise NoPlainTar(f"a {what} in it is no octal number")
    return int(field.rstrip(b" \0"), 8)
