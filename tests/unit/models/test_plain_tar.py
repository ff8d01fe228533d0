"""A record is a tar of one form, and everything else that a tar can be is refused."""

import gzip
import io
import tarfile
from collections.abc import Callable

import pytest

from models.records.plain_tar import pack
from models.records.record_files import NEEDED, pack_record, unpack_record
from models.records.refusal import Reason, RecordRefused
from tests.fakes.record_forge import Farm

FILES = Farm().files
SOUND = pack_record(FILES)


def with_member(kind: bytes, size: int = 0, **more: str) -> bytes:
    """A tar that begins with a member of a kind."""
    member = tarfile.TarInfo("run-7/events.jsonl")
    member.type, member.size = kind, size
    for name, value in more.items():
        setattr(member, name, value)
    return member.tobuf(tarfile.USTAR_FORMAT) + SOUND


def before(name: str) -> bytes:
    """The sound archive behind an empty file."""
    return pack({name: b""})[:512] + SOUND


def extended(**headers: str) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as tar:
        member = tarfile.TarInfo("run-7/events.jsonl")
        member.pax_headers = headers
        tar.addfile(member)
    return written.getvalue()


def patched(at: int, new: bytes) -> Callable[[], bytes]:
    """The sound archive with other bytes in its first header, whose check sum is right."""

    def made() -> bytes:
        header = bytearray(SOUND[:512])
        header[at : at + len(new)] = new
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        return bytes(header) + SOUND[512:]

    return made


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "behind its end, or it has none"),
    "zeros": (lambda: bytes(10_240), "is missing"),
    "text": (lambda: b"hello" * 200, "no tar of the form"),
    "sparse": (lambda: with_member(b"S", 1 << 28), "a sparse file"),
    "sparse by header": (
        lambda: extended(**{"GNU.sparse.map": "0,0", "GNU.sparse.size": "268435456"}),
        "an extended header",
    ),
    "size by header": (lambda: extended(size="-1"), "an extended header"),
    "nested long names": (lambda: with_member(b"L") * 5_000, "a long name"),
    "nested extended headers": (lambda: with_member(b"x") * 5_000, "an extended header"),
    "symbolic link": (lambda: with_member(b"2", linkname="/etc/passwd"), "a symbolic link"),
    "hard link": (lambda: with_member(b"1", linkname="x"), "a hard link"),
    "device": (lambda: with_member(b"3"), "a device"),
    "pipe": (lambda: with_member(b"6"), "a pipe"),
    "folder": (lambda: with_member(b"5"), "a folder"),
    "unknown kind": (lambda: with_member(b"Z"), "something else"),
    "gzip bomb": (lambda: gzip.compress(bytes(1 << 20)), "compressed"),
    "huge size": (patched(124, b"77777777777\0"), "is cut within"),
    "size in base 256": (patched(124, b"\x80" + b"\xff" * 11), "no octal number"),
    "negative size": (patched(124, b"-0000000001\0"), "no octal number"),
    "altered header": (lambda: b"x" + SOUND[1:], "was altered"),
    "prefix": (patched(345, b"elsewhere"), "has a prefix"),
    "time": (patched(136, b"00000000001\0"), "not as `record export` writes it"),
    "owner": (patched(265, b"somebody"), "not as `record export` writes it"),
    "kind of old tars": (patched(156, b"\0"), "not as `record export` writes it"),
    "check sum padded otherwise": (
        lambda: SOUND[:154] + b"  " + SOUND[156:],
        "not as `record export` writes it",
    ),
    "more zeros": (lambda: SOUND + bytes(10_240), "behind its end"),
    "fewer zeros": (lambda: SOUND[:-512], "or it has none"),
    "in another order": (
        lambda: pack({f"run-7/{name}": b"" for name in NEEDED[::-1]}),
        "another order",
    ),
    "trailing bytes": (lambda: SOUND + b"GARBAGE", "behind its end"),
    "a tar behind the tar": (lambda: SOUND + SOUND, "behind its end"),
    "cut": (lambda: SOUND[:3_000], "is cut within"),
    "cut at a header": (lambda: SOUND[:100], "no tar of the form"),
    "no contents": (lambda: SOUND[:512], "is cut within"),
    "twice": (lambda: before("run-7/events.jsonl"), "twice"),
    "two records": (lambda: before("run-8/open.tlog-proof"), "two records"),
    "a path outside": (lambda: pack({"run-7/../events.jsonl": b""}), "belongs to no record"),
    "another name": (lambda: pack({"run-7/notes": b""}), "belongs to no record"),
    "not all": (lambda: pack({"run-7/events.jsonl": b""}), "is missing"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_plain_record_is_refused_with_the_reason(name: str) -> None:
    made, words = HOSTILE[name]
    with pytest.raises(RecordRefused, match=words) as refused:
        unpack_record(made())
    assert refused.value.reason is Reason.NOT_A_RECORD


def test_bytes_between_a_file_and_the_next_are_refused() -> None:
    at = 512 + len(FILES.events)
    assert SOUND[at] == 0
    with pytest.raises(RecordRefused, match="there are bytes behind"):
        unpack_record(SOUND[:at] + b"x" + SOUND[at + 1 :])


def test_the_total_of_a_record_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.records.record_files.LARGEST", len(SOUND) - 1)
    with pytest.raises(RecordRefused, match="has more than"):
        unpack_record(SOUND)


def test_every_tar_program_reads_a_record() -> None:
    with tarfile.open(fileobj=io.BytesIO(SOUND)) as tar:
        read = {member.name: tar.extractfile(member) for member in tar}
    events = read["run-7/events.jsonl"]
    assert events is not None
    assert events.read() == FILES.events
    assert len(read) == 4 + len(FILES.blobs)
