"""Whatever a file holds, it is refused, or it is a recording like any other."""

import io
import json
from collections.abc import Generator, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.canonical import LARGEST_EXACT
from models.clock import SystemClock
from models.errors import FarmError, InvalidInput
from models.interchange import inspect_file, inspect_log
from models.interchange.inspect_log import read_inspect
from models.interchange.source_file import SourceFile
from models.interchange.told_session import of_recording
from models.schemas.recording import RecordingFormat
from models.storage.artifacts import FolderArtifacts
from models.storage.transaction import Database, open_database
from models.tables.all_tables import METADATA
from scheduler.cli.recordings import HEAD, print_recording, row_of
from scheduler.cli.session_export import SessionFormat, export_session
from scheduler.cli.text_tables import columns, print_json
from scheduler.farm_access.local_recordings import LocalRecordings
from tests.unit.models.test_interchange_inspect import LOG, archive_of, with_zstandard
from tests.unit.models.test_interchange_reading import golden

FILES = {
    RecordingFormat.CLAUDE_CODE: "claude-code.jsonl",
    RecordingFormat.CLAUDE_CODE_STREAM: "claude-code-stream.jsonl",
    RecordingFormat.CODEX: "codex.jsonl",
    RecordingFormat.CODEX_EXEC: "codex-exec.jsonl",
    RecordingFormat.ATIF: "atif-v1.8.json",
    RecordingFormat.MINI_SWE_AGENT: "mini-swe-agent.traj.json",
    RecordingFormat.INSPECT: "inspect.json",
    RecordingFormat.AIDER: "aider.chat.history.md",
}
HOSTILE = (
    *("NaN", "Infinity", "-1e999", "1e308", "1" + "0" * 40, "9" * 5_000, "9007199254740993"),
    *('"inf"', '"nan"', '"1e400"', "-1", "1.5", "true", "null", "[]", "{}", '""'),
    *('"\\ud800"', '"\\udc00 \\u0000"', '{"\\ud800": "\\u001b[2J"}', "[" * 300 + "]" * 300),
    *('"0001-01-01T00:00:00+23:59"', '"9999-12-31T23:59:59.999999-23:59"', '"1969-01-01"'),
    *('"attachment://x"', '"' + "x" * 300 + '"'),
)
"""JSON values, as text, that no agent should write, and some that it might."""


class Kept:
    """A farm's recordings, and everything that can be done with one."""

    def __init__(self, database: Database, folder: Path) -> None:
        artifacts = FolderArtifacts(folder)
        self.recordings = LocalRecordings(database, lambda: artifacts, SystemClock())

    def take(self, data: bytes, kind: RecordingFormat) -> bool:
        """Whether `data` was taken; then it was listed, shown and exported, too."""
        try:
            found = self.recordings.keep([SourceFile("a file", data)], kind)
        except FarmError:
            return False
        for view, _ in found:
            self._look(view.id)
        return True

    def _look(self, number: int) -> None:
        page = io.BytesIO()
        screen = io.TextIOWrapper(page, "utf-8", write_through=True)
        with redirect_stdout(screen):
            print(columns(HEAD, [row_of(one) for one in self.recordings.listed(limit=3)]))
            found = self.recordings.opened(number)
            assert all(abs(step.exit_code or 0) <= LARGEST_EXACT for step in found.steps)
            print_recording(number, found)
            print_json(found)
            for chosen in SessionFormat:
                export_session(of_recording(found), chosen, None, content=True)
        assert b"ended: " in page.getvalue()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Generator[Kept]:
    folder = tmp_path_factory.mktemp("recordings")
    database = open_database(f"sqlite:///{folder / 'farm.db'}")
    METADATA.create_all(database.engine)
    yield Kept(database, folder / "artifacts")
    database.close()


@st.composite
def with_hostile_values(draw: st.DrawFn, kind: RecordingFormat) -> bytes:
    """The golden file of a format with some of its values exchanged."""
    documents = _documents(golden(FILES[kind]).data)
    leaves = [(one, path) for one in range(len(documents)) for path in _paths(documents[one])]
    chosen = draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=4))
    for number, (one, path) in enumerate(chosen):
        _put(documents[one], path, f"@{number}@")
    text = "\n".join(json.dumps(one) for one in documents)
    for number in range(len(chosen)):
        text = text.replace(f'"@{number}@"', draw(st.sampled_from(HOSTILE)))
    return text.encode()


@st.composite
def with_other_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """A file with a piece exchanged for any bytes."""
    first = draw(st.integers(0, len(data)))
    last = draw(st.integers(first, min(len(data), first + 40)))
    return data[:first] + draw(st.binary(max_size=40)) + data[last:]


def _documents(data: bytes) -> list[Any]:
    try:
        return [json.loads(data)]
    except ValueError:
        return [json.loads(line) for line in data.splitlines() if line.strip()]


def _paths(value: object, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(cast("dict[str, Any]", value).items())
    elif isinstance(value, list):
        inner = list(enumerate(cast("list[Any]", value)))
    for step, one in inner:
        yield (*before, step)
        yield from _paths(one, (*before, step))


def _put(value: Any, path: tuple[Any, ...], one: object) -> None:
    for step in path[:-1]:
        # A value around it may have been exchanged already.
        if not isinstance(value, dict | list):
            return
        value = value[step]
    if isinstance(value, dict | list):
        value[path[-1]] = one


@pytest.mark.parametrize("kind", [one for one in FILES if one is not RecordingFormat.AIDER])
def test_hostile_values_are_refused_or_read_safely(kind: RecordingFormat, kept: Kept) -> None:
    @settings(max_examples=60, deadline=None)
    @given(with_hostile_values(kind))
    def each(data: bytes) -> None:
        kept.take(data, kind)

    assert kept.take(golden(FILES[kind]).data, kind)
    each()


@pytest.mark.parametrize("kind", RecordingFormat)
def test_any_bytes_are_refused_or_a_recording(kind: RecordingFormat, kept: Kept) -> None:
    whole = golden(FILES[kind]).data

    @settings(max_examples=25, deadline=None)
    @given(st.one_of(with_other_bytes(whole), st.binary(max_size=60)))
    def each(data: bytes) -> None:
        kept.take(data, kind)

    each()


def test_a_damaged_archive_is_refused_or_a_recording(kept: Kept) -> None:
    packed = archive_of(LOG)

    @settings(max_examples=60, deadline=None)
    @given(st.one_of(with_other_bytes(packed.data), with_other_bytes(with_zstandard(packed).data)))
    def each(data: bytes) -> None:
        kept.take(data, RecordingFormat.INSPECT)

    each()


@pytest.mark.parametrize(("signature", "place"), [(b"PK\x01\x02", 8), (b"PK\x01\x02", 10)])
def test_an_encrypted_archive_and_an_unknown_compression_are_refused(
    signature: bytes, place: int, kept: Kept
) -> None:
    data = bytearray(archive_of(LOG).data)
    for mark, at in ((signature, place), (b"PK\x03\x04", place - 2)):
        found = -1
        while (found := data.find(mark, found + 1)) >= 0:
            data[found + at] = 99 if place == 10 else data[found + at] | 1
    assert not kept.take(bytes(data), RecordingFormat.INSPECT)


def test_no_log_unpacks_to_more_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one sample, nor all together, nor a text that is named again and again."""
    size = 3_000
    monkeypatch.setattr(inspect_file, "MOST_BYTES", size)
    monkeypatch.setattr(inspect_log, "MOST_BYTES", size)
    samples = [{"id": n, "note": "x" * (size // 2 - 100)} for n in range(3)]
    spread = {"id": 0, "attachments": {"a": "x" * 400}, "messages": []}
    spread["messages"] = [{"role": "user", "content": "attachment://a"}] * 9
    huge = [{"id": 0, "note": "x" * size}]
    for log, place in (
        (archive_of({**LOG, "samples": [{"epoch": 1, **one} for one in samples]}), "samples/"),
        (archive_of({**LOG, "samples": [{"epoch": 1, **one} for one in huge]}), "samples/"),
        (_as_json({**LOG, "samples": [spread]}), "samples.0.attachments"),
    ):
        with pytest.raises(InvalidInput) as caught:
            read_inspect([log])
        assert [fault.field for fault in caught.value.faults] == [place]


def _as_json(log: dict[str, Any]) -> SourceFile:
    return SourceFile("log.json", json.dumps(log).encode())


def test_what_is_wrong_is_named_by_file_and_field(kept: Kept) -> None:
    with pytest.raises(InvalidInput) as caught:
        kept.recordings.keep(
            [
                SourceFile("a.json", _mini(timestamp=1e300)),
                SourceFile("b.json", _mini(cost=1e300)),
                SourceFile("c.json", _mini(cost=5)),
            ],
            None,
        )
    assert [fault.field for fault in caught.value.faults] == [
        "a.json, messages.0.extra.timestamp",
        "b.json, messages.0.extra.cost",
    ]


def _mini(**extra: object) -> bytes:
    message = {"role": "assistant", "content": "hello", "extra": extra}
    format = "mini-swe-agent-1.1"
    return json.dumps({"trajectory_format": format, "info": {}, "messages": [message]}).encode()


def test_names_without_a_place_in_a_column_are_kept_on_both_databases(
    database: Database, tmp_path: Path
) -> None:
    document = json.loads(golden(FILES[RecordingFormat.ATIF]).data)
    document["agent"]["name"] = "half \ud800, none \0, long " + "x" * 300
    recordings = Kept(database, tmp_path).recordings
    file = SourceFile("a.json", json.dumps(document).encode())
    ((view, _),) = recordings.keep([file], None)
    assert view.agent.startswith("half \ufffd, none \ufffd, long xxx")
    recordings.remove([view.id])
    assert recordings.listed(limit=9) == []
