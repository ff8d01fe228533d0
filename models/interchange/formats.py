"""The formats that are read: which one a file is in, and who reads it."""

from collections.abc import Callable, Sequence

from pydantic import JsonValue

from models.canonical import LARGEST_EXACT
from models.errors import InputFault, InvalidInput
from models.interchange.aider import read_aider
from models.interchange.atif_reading import read_atif
from models.interchange.claude_code import read_claude_code
from models.interchange.codex import read_codex
from models.interchange.codex_exec import read_codex_exec
from models.interchange.foreign_values import foreign_json
from models.interchange.inspect_log import read_inspect
from models.interchange.mini_swe_agent import read_mini_swe_agent
from models.interchange.source_file import REPAIR, SourceFile
from models.schemas.recording import Recording, RecordingFormat

Files = Sequence[SourceFile]
Reader = Callable[[Files], Sequence[Recording]]

ARCHIVE = b"PK\x03\x04"
AIDER = b"# aider chat started at "
CLAUDE_CODE = frozenset({RecordingFormat.CLAUDE_CODE, RecordingFormat.CLAUDE_CODE_STREAM})
SESSION_FIELDS = ("sessionId", "session_id")
CODEX_EXEC_TYPES = ("thread.", "turn.", "item.")
LOOKED_AT = 20
"""Lines at the beginning of a file that are looked at."""


def _single(read: Callable[[Files], Recording]) -> Reader:
    return lambda files: (read(files),)


READERS: dict[RecordingFormat, Reader] = {
    RecordingFormat.CLAUDE_CODE: _single(read_claude_code),
    RecordingFormat.CLAUDE_CODE_STREAM: _single(read_claude_code),
    RecordingFormat.CODEX: _single(read_codex),
    RecordingFormat.CODEX_EXEC: _single(read_codex_exec),
    RecordingFormat.ATIF: _single(read_atif),
    RecordingFormat.MINI_SWE_AGENT: _single(read_mini_swe_agent),
    RecordingFormat.INSPECT: read_inspect,
    RecordingFormat.AIDER: _single(read_aider),
}


def read_recordings(
    files: Files, chosen: RecordingFormat | None
) -> list[tuple[Recording, tuple[SourceFile, ...]]]:
    """The recordings in `files`, each with the files that it is from.

    Transcripts of Claude Code with one session belong together: the others are its subagents'.
    Raises InvalidInput with the faults of all files.
    """
    found: list[tuple[Recording, tuple[SourceFile, ...]]] = []
    refusals: list[InvalidInput] = []
    for group in _groups(files, chosen, refusals):
        kind, members = group
        try:
            found += [(_kept_within(one, members[0]), members) for one in READERS[kind](members)]
        except InvalidInput as error:
            refusals.append(error)
    if refusals:
        raise _joined(refusals)
    return found


def _kept_within(recording: Recording, file: SourceFile) -> Recording:
    """The recording. Raises InvalidInput where its sums are more than anybody can count."""
    sums = {
        "usage": 0 if recording.usage is None else recording.usage.total,
        "cost": abs(recording.cost_microusd or 0),
    }
    faults = [
        InputFault(field, f"sums up to {told}, more than {LARGEST_EXACT}", REPAIR)
        for field, told in sums.items()
        if told > LARGEST_EXACT
    ]
    if faults:
        raise InvalidInput(file.name, faults)
    return recording


def format_of(file: SourceFile) -> RecordingFormat:
    """Which format a file is in, by what it holds. Raises InvalidInput."""
    if file.data.startswith(ARCHIVE):
        return RecordingFormat.INSPECT
    if file.data.lstrip().startswith(AIDER):
        return RecordingFormat.AIDER
    whole = _object_in(file.data)
    found = _of_document(whole) if whole else None
    lines = file.data.splitlines()[:LOOKED_AT]
    for value in () if found else filter(None, map(_object_in, lines)):
        found = found or _of_line(value)
    if found is None:
        known = ", ".join(RecordingFormat)
        fault = InputFault(
            "the file", "is in none of the known formats", f"name one with --format: {known}"
        )
        raise InvalidInput(file.name, [fault])
    return found


def _of_document(value: dict[str, JsonValue]) -> RecordingFormat | None:
    if str(value.get("schema_version", "")).startswith("ATIF"):
        return RecordingFormat.ATIF
    if str(value.get("trajectory_format", "")).startswith("mini-swe-agent"):
        return RecordingFormat.MINI_SWE_AGENT
    return RecordingFormat.INSPECT if {"eval", "version"} <= value.keys() else _of_line(value)


def _of_line(value: dict[str, JsonValue]) -> RecordingFormat | None:
    kind = str(value.get("type", ""))
    if "payload" in value:
        return RecordingFormat.CODEX
    if kind.startswith(CODEX_EXEC_TYPES):
        return RecordingFormat.CODEX_EXEC
    if "session_id" in value:
        return RecordingFormat.CLAUDE_CODE_STREAM
    return RecordingFormat.CLAUDE_CODE if "sessionId" in value else None


def _groups(
    files: Files, chosen: RecordingFormat | None, refusals: list[InvalidInput]
) -> list[tuple[RecordingFormat, tuple[SourceFile, ...]]]:
    groups: dict[object, tuple[RecordingFormat, tuple[SourceFile, ...]]] = {}
    for place, file in enumerate(files):
        try:
            kind = chosen or format_of(file)
        except InvalidInput as error:
            refusals.append(error)
            continue
        key = (kind, _session_of(file) or place) if kind in CLAUDE_CODE else place
        groups[key] = (kind, (*groups.get(key, (kind, ()))[1], file))
    return list(groups.values())


def _session_of(file: SourceFile) -> str:
    for value in filter(None, map(_object_in, file.data.splitlines())):
        for name in SESSION_FIELDS:
            if isinstance(value.get(name), str):
                return str(value[name])
    return ""


def _object_in(data: bytes) -> dict[str, JsonValue] | None:
    try:
        value = foreign_json(data)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _joined(refusals: list[InvalidInput]) -> InvalidInput:
    if len(refusals) == 1:
        return refusals[0]
    faults = [
        InputFault(f"{error.source}, {fault.field}", fault.problem, fault.remedy)
        for error in refusals
        for fault in error.faults
    ]
    return InvalidInput("the recordings", faults)
