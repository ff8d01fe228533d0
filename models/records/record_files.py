"""A record as one file: an uncompressed tar whose members have fixed names."""

import io
import re
import tarfile
from dataclasses import dataclass, field

from models.canonical import canonical_bytes
from models.records.canonical_lines import read_canonical
from models.records.dsse import Envelope, envelope_of
from models.records.refusal import Reason, RecordRefused

EVENTS, SEALS = "events.jsonl", "record.dsse.json"
CLOSED, OPENED = "record.tlog-proof", "open.tlog-proof"
NEEDED = (EVENTS, SEALS, CLOSED, OPENED)
MEMBER = re.compile(
    r"run-[0-9]+/(?P<name>events\.jsonl|record\.dsse\.json|(?:record|open)\."
    r"tlog-proof|blobs/[0-9a-f]{64})"
)
LARGEST = 1 << 30
"""Bytes of all members together: more is no record of a run, but an attempt to fill a memory."""


@dataclass(frozen=True, slots=True)
class RecordFiles:
    """The contents of the members. `blobs` by SHA-256: those that were not withheld."""

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


def pack_record(run: str, files: RecordFiles) -> bytes:
    """The record as a tar, the same bytes for the same files."""
    contents = {
        EVENTS: files.events,
        SEALS: files.seals,
        CLOSED: files.closed,
        OPENED: files.opened,
        **{f"blobs/{name}": data for name, data in sorted(files.blobs.items())},
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in contents.items():
            member = tarfile.TarInfo(f"run-{run}/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def unpack_record(data: bytes) -> RecordFiles:
    """Read a record; nothing is written anywhere. Raises RecordRefused (not_a_record) for a file
    that holds anything else, anything twice, or not everything."""
    contents: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for member in tar:
                contents |= _content(tar, member, contents)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise _no_record(f"it can't be read ({type(error).__name__})") from error
    missing = [name for name in NEEDED if name not in contents]
    if missing:
        raise _no_record(f"{', '.join(missing)} is missing")
    blobs = {
        name.removeprefix("blobs/"): blob
        for name, blob in contents.items()
        if name.startswith("blobs/")
    }
    return RecordFiles(
        events=contents[EVENTS],
        seals=contents[SEALS],
        closed=contents[CLOSED],
        opened=contents[OPENED],
        blobs=blobs,
    )


def _content(
    tar: tarfile.TarFile, member: tarfile.TarInfo, known: dict[str, bytes]
) -> dict[str, bytes]:
    matched = MEMBER.fullmatch(member.name)
    if matched is None or not member.isreg():
        raise _no_record(f"it holds {member.name[:80]!r}, which belongs to no record")
    name = matched["name"]
    if name in known:
        raise _no_record(f"it holds {name} twice")
    if member.size + sum(map(len, known.values())) > LARGEST:
        raise _no_record("it is too large")
    file = tar.extractfile(member)
    return {name: b"" if file is None else file.read()}


def _no_record(problem: str) -> RecordRefused:
    return RecordRefused(Reason.NOT_A_RECORD, f"the file is no record: {problem}.")
