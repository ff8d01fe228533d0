"""Logs of Inspect are read sample by sample, whether they are JSON or archives.

The golden file is from Inspect 0.3.285 with its own scripted model; fields that say nothing here
were cut out.
"""

import io
import json
import zipfile
from typing import Any

import pytest

from models.errors import InvalidInput
from models.interchange.formats import format_of, read_recordings
from models.interchange.inspect_log import read_inspect
from models.interchange.source_file import SourceFile
from models.schemas.model_call import TokenUsage
from models.schemas.recording import RecordingFormat
from tests.conftest import miss
from tests.unit.models.test_interchange_reading import call_usage, golden

LOG: dict[str, Any] = json.loads(golden("inspect.json").data)


def archive_of(log: dict[str, Any], name: str = "log.eval") -> SourceFile:
    """The log as an archive with a file for each sample."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({**log, "samples": None}))
        for sample in log["samples"]:
            path = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(path, json.dumps(sample))
    return SourceFile(name, packed.getvalue())


def with_zstandard(file: SourceFile) -> SourceFile:
    """The same archive, compressed as newer versions do, which Python can't write."""
    try:
        from backports.zstd import compress
    except ImportError:
        miss("backports.zstd is not installed: install the extra inspect")
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(file.data)) as old,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, compress(old.read(name)))
        sizes = [one.file_size for one in old.infolist()]
    data = bytearray(packed.getvalue())
    for mark, place, size_at in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        at = -1
        for size in sizes:
            at = data.find(mark, at + 1)
            data[at + place : at + place + 2] = (93).to_bytes(2, "little")
            data[at + size_at : at + size_at + 4] = size.to_bytes(4, "little")
    return SourceFile(file.name, bytes(data))


def test_a_sample_has_its_messages_replies_tools_and_decisions() -> None:
    (found,) = read_inspect([golden("inspect.json")])
    assert (found.agent, found.agent_version) == ("basic_agent", "0.3.285")
    assert found.models == ("mockllm/model",)
    assert found.usage == TokenUsage(
        input_uncached=520, cache_read=560, cache_write=30, output=44, reasoning=5
    )
    assert call_usage(found) == found.usage
    assert [(one.kind, one.data.get("role")) for one in found.steps[:4]] == [
        ("message", "system"),
        ("message", "user"),
        ("model_call", None),
        ("message", "agent"),
    ]
    assert found.steps[0].text.startswith("\nYou are a helpful assistant")
    decisions = [one.data for one in found.steps if one.kind == "decision"]
    assert [(one["decision"], one["by"]) for one in decisions] == [("accept", "rule")] * 3
    tool = next(one for one in found.steps if one.kind == "tool_call")
    assert (tool.data["args"], tool.output) == ({"x": 1, "y": 2}, "3")
    command = next(one for one in found.steps if one.kind == "command")
    assert command.data["ok"] is False
    assert command.output.startswith("Found 2 validation errors")


def test_what_a_person_decided_has_the_time_that_it_took() -> None:
    log = json.loads(json.dumps(LOG))
    events = log["samples"][0]["events"]
    tool = next(one for one in events if one["event"] == "tool")
    approval = next(one for one in events if one["event"] == "approval")
    tool["timestamp"] = "2026-01-01T00:00:00+00:00"
    approval |= {"timestamp": "2026-01-01T00:00:02.500+00:00", "approver": "human"}
    approval["decision"] = "reject"
    (found,) = read_inspect([SourceFile("log.json", json.dumps(log).encode())])
    decided = next(one.data for one in found.steps if one.kind == "decision")
    assert (decided["decision"], decided["by"], decided["latency_ms"]) == ("reject", "person", 2500)


def test_an_archive_says_the_same_as_the_json_however_it_is_compressed() -> None:
    (whole,) = read_inspect([golden("inspect.json")])
    packed = archive_of(LOG)
    assert format_of(packed) is RecordingFormat.INSPECT
    assert read_inspect([packed]) == [whole]
    assert read_inspect([with_zstandard(packed)]) == [whole]


def test_a_log_without_events_is_told_from_its_messages() -> None:
    log = json.loads(json.dumps(LOG))
    log["samples"][0]["events"] = []
    (found,) = read_inspect([SourceFile("log.json", json.dumps(log).encode())])
    kinds = [one.kind for one in found.steps]
    assert kinds.count("model_call") == 3
    assert kinds.count("command") == 1
    assert found.usage == TokenUsage(
        input_uncached=520, cache_read=560, cache_write=30, output=44, reasoning=5
    )


def test_every_sample_is_a_recording_of_its_own() -> None:
    log = json.loads(json.dumps(LOG))
    second = json.loads(json.dumps(log["samples"][0])) | {"epoch": 2, "uuid": None}
    log["samples"].append(second)
    found = read_recordings([archive_of(log)], None)
    assert [one.session for one, _ in found] == [log["samples"][0]["uuid"], "sums/sum/2"]


def test_faults_in_samples_are_all_named() -> None:
    log = json.loads(json.dumps(LOG))
    log["samples"][0]["events"][0]["output"] = 3
    log["samples"].append({"epoch": 1})
    log["version"] = "two"
    with pytest.raises(InvalidInput) as caught:
        read_inspect([SourceFile("log.json", json.dumps(log).encode())])
    fields = [fault.field for fault in caught.value.faults]
    assert fields == ["version", "samples.0.events.0, output", "samples.1, id"]


def test_an_archive_without_samples_is_refused() -> None:
    with pytest.raises(InvalidInput, match="samples/: is empty"):
        read_inspect([archive_of({**LOG, "samples": []})])
