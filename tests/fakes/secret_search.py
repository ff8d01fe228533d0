"""Looks for secrets in bytes, whatever they were wrapped in on the way."""

import base64
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

RUN_KEY = "the key of some run"
_RUN_KEY = re.compile(rb"gfk-[A-Za-z0-9_-]{43}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{40,}={0,2}")
_COMPRESSED = re.compile(rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]")
ANY_HEADER = 47
"""zlib's sign that a header of gzip or of zlib comes."""
DEPTH = 4
MOST_UNPACKED = 64 * 2**20


@dataclass(frozen=True)
class SecretSearch:
    """Searches for secrets by name: as they are, in base64 at each alignment, in hex, escaped for
    an address or for JSON, in UTF-16, and all of that within what is compressed or in base64."""

    secrets: Mapping[str, str]
    _forms: dict[bytes, str] = field(default_factory=dict[bytes, str], init=False)

    def __post_init__(self) -> None:
        for name, secret in self.secrets.items():
            assert len(secret) >= 8, f"{name} is too short to be looked for"
            self._forms.update(dict.fromkeys(forms(secret), name))

    def found(self, data: bytes) -> set[str]:
        """The names of all secrets in `data`; anything that looks like a run's key is one."""
        names: set[str] = set()
        for layer in layers(data):
            names |= {name for form, name in self._forms.items() if form in layer}
            if _RUN_KEY.search(layer):
                names.add(RUN_KEY)
        return names


def forms(secret: str) -> set[bytes]:
    """How `secret` may be written without being compressed."""
    raw = secret.encode()
    escaped = "".join(f"%{byte:02X}" for byte in raw)
    plain = {
        raw,
        raw.hex().encode(),
        raw.hex().upper().encode(),
        quote(secret, safe="").encode(),
        escaped.encode(),
        escaped.lower().encode(),
        "".join(f"\\u{byte:04x}" for byte in raw).encode(),
        secret.encode("utf-16-le"),
    }
    return plain | {form for before in range(3) for form in _in_base64(raw, before)}


def _in_base64(raw: bytes, before: int) -> Iterator[bytes]:
    """What of `raw` stays the same in base64, whatever follows, `before` bytes after a border."""
    first = -(-before * 8 // 6)
    whole = (before + len(raw)) * 8 // 6
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(b"\0" * before + raw + b"\0\0\0")[first:whole]


def layers(data: bytes, depth: int = DEPTH) -> Iterator[bytes]:
    """`data`, and what is compressed or in base64 in it, again and again."""
    yield data
    if not depth:
        return
    for start in _COMPRESSED.finditer(data):
        if inner := _unpacked(memoryview(data)[start.start() :]):
            yield from layers(inner, depth - 1)
    for run in _BASE64.finditer(data):
        text = run[0].rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        inner = base64.b64decode(text[: len(text) // 4 * 4])
        if _COMPRESSED.match(inner):
            yield from layers(inner, depth - 1)


def _unpacked(data: memoryview) -> bytes:
    try:
        return zlib.decompressobj(ANY_HEADER).decompress(data, MOST_UNPACKED)
    except zlib.error:
        return b""
