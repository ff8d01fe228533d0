"""A record as one file: an uncompressed tar whose members have fixed names."""

import re
from dataclasses import dataclass, field

from models.canonical import canonical_bytes
from models.records.canonical_lines import read_canonical
from models.records.dsse import Envelope, envelope_of
from models.records.plain_tar import NoPlainTar, pack, unpack
from models.records.refusal import Reason, RecordRefused

EVENTS, SEALS = "events.jsonl", "record.dsse.json"
CLOSED, OPENED = "record.tlog-proof", "open.tlog-proof"
NEEDED = (EVENTS, SEALS, CLOSED, OPENED)
MEMBER = re.compile(
    r"run-(?P<run>[0-9]+)/(?P<name>events\.jsonl|record\.dsse\.json|(?:record|open)\."
    r"tlog-proof|blobs/[0-9a-f]{64})"
)
LARGEST = 1 << 30
"""Bytes of a record: more is none of a run, but an attempt to fill a memory. Nothing in a record is
compressed, so that no more comes out of it."""
COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
"""How files begin that unpack to more than they are."""


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """The run that the folder names, and the contents of the members. `blobs` by SHA-256: those
    that were not withheld."""

    run: str
    events: bytes
    seals: bytes
    closed: bytes
    opened: bytes
    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def envelopes(self) -> tuple[Envelope, Envelope]:
        """The recorder's and the grader's. Raises RecordRefused."""
        found = read_canonical(self.seals, SEALS)
        if set(found) != {"recorder", "grader"}:
            raise RecordRefused(Reason.ROLE_MISSING, "it takes a recorder's and a grader's seal.")
        return envelope_of(found["recorder"]), envelope_of(found["grader"])


def seals_bytes(recorder: Envelope, grader: Envelope) -> bytes:
    """Both envelopes as one file."""
    return canonical_bytes({"recorder": recorder.as_json(), "grader": grader.as_json()})


def pack_record(files: RecordFiles) -> bytes:
    """The record as a tar, the same bytes for the same files."""
    contents = {
        EVENTS: files.events,
        SEALS: files.seals,
        CLOSED: files.closed,
        OPENED: files.opened,
        **{f"blobs/{name}": data for name, data in sorted(files.blobs.items())},
    }
    return pack({f"run-{files.run}/{name}": data for name, data in contents.items()})


def unpack_record(data: bytes) -> RecordFiles:
    """Read a record; nothing is written anywhere. Raises RecordRefused (not_a_record) for a file
    that holds anything else, anything twice, or not everything."""
    run, contents = _contents(data)
    missing = [name for name in NEEDED if name not in contents]
    if missing:
        raise _no_record(f"{', '.join(missing)} is missing")
    blobs = {
        name.removeprefix("blobs/"): blob
        for name, blob in contents.items()
        if name.startswith("blobs/")
    }
    return RecordFiles(
        run=run,
        events=contents[EVENTS],
        seals=contents[SEALS],
        closed=contents[CLOSED],
        opened=contents[OPENED],
        blobs=blobs,
    )


def _contents(data: bytes) -> tuple[str, dict[str, bytes]]:
    """The run of the folder, and what is in it by name."""
    if len(data) > LARGEST:
        raise _no_record(f"it has more than {LARGEST} bytes")
    if data.startswith(COMPRESSED):
        raise _no_record("it is compressed, and a record is not: unpack it with care")
    found: dict[str, bytes] = {}
    runs: set[str] = set()
    try:
        for path, content in unpack(data):
            matched = MEMBER.fullmatch(path)
            if matched is None:
                raise NoPlainTar(f"it holds {path[:80]!r}, which belongs to no record")
            name = matched["name"]
            runs.add(matched["run"])
            if name in found or len(runs) > 1:
                raise NoPlainTar(f"it holds {name} twice, or two records")
            found[name] = content
    except NoPlainTar as error:
        raise _no_record(str(error)) from error
    if list(found) != sorted(found, key=_place):
        raise _no_record("its parts stand in another order")
    return "".join(runs), found


def _place(name: str) -> tuple[int, str]:
    """Where a member stands: the needed ones first, then the blobs by name."""
    return (NEEDED.index(name) if name in NEEDED else len(NEEDED)), name


def _no_record(problem: str) -> RecordRefused:
    return RecordRefused(Reason.NOT_A_RECORD, f"the file is no record: {problem}.")
