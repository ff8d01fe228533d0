"""A file's format is seen from what it holds, and the faults of all files are told at once."""

import pytest

from models.errors import InvalidInput
from models.interchange.formats import format_of, read_recordings
from models.interchange.source_file import SourceFile
from models.schemas.recording import RecordingFormat
from tests.unit.models.test_interchange_reading import GOLDEN, golden

NAMES = {
    "claude-code.jsonl": RecordingFormat.CLAUDE_CODE,
    "claude-code-stream.jsonl": RecordingFormat.CLAUDE_CODE_STREAM,
    "codex.jsonl": RecordingFormat.CODEX,
    "codex-exec.jsonl": RecordingFormat.CODEX_EXEC,
    "atif-v1.8.json": RecordingFormat.ATIF,
    "mini-swe-agent.traj.json": RecordingFormat.MINI_SWE_AGENT,
    "inspect.json": RecordingFormat.INSPECT,
    "aider.chat.history.md": RecordingFormat.AIDER,
}


def test_every_golden_file_is_known() -> None:
    found = {path.name for path in GOLDEN.iterdir() if "schema" not in path.name}
    assert found == set(NAMES)


@pytest.mark.parametrize(("name", "kind"), NAMES.items())
def test_a_format_is_seen_from_the_content(name: str, kind: RecordingFormat) -> None:
    assert format_of(SourceFile("some file", golden(name).data)) is kind
    (pair,) = read_recordings([golden(name)], None)
    recording, files = pair
    assert recording.format is kind
    assert files == (golden(name),)
    assert recording.steps


def test_several_files_are_several_recordings_but_a_session_of_claude_code_is_one() -> None:
    data = golden("claude-code.jsonl").data
    files = [SourceFile("a.jsonl", data), golden("codex.jsonl"), SourceFile("b.jsonl", data)]
    found = read_recordings(files, None)
    assert [len(members) for _, members in found] == [2, 1]


def test_the_faults_of_all_files_are_told_at_once() -> None:
    files = [
        SourceFile("x.txt", b"nothing"),
        golden("codex.jsonl"),
        SourceFile("y.json", b'{"schema_version": "ATIF-v1.8"}'),
    ]
    with pytest.raises(InvalidInput) as caught:
        read_recordings(files, None)
    fields = [fault.field for fault in caught.value.faults]
    assert fields == ["x.txt, the file", "y.json, agent", "y.json, steps"]


def test_an_unknown_file_can_be_given_a_format() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_recordings([SourceFile("x", b"{}")], RecordingFormat.ATIF)
    assert [fault.field for fault in caught.value.faults] == ["schema_version", "agent", "steps"]
