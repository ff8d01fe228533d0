"""`record verify` tells of every record that it was given, and `record show` of any."""

import gc
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from models.canonical import canonical_bytes
from models.errors import NotFound
from models.records.event_chain import EventChain, Moment, joined
from models.records.record_files import pack_record, unpack_record
from models.schemas.record_event import EventType, RecordEvent
from models.schemas.transcript import TranscriptStep
from scheduler.cli.main import main, report
from scheduler.cli.step_text import print_step
from tests.fakes.record_forge import Farm, drafted, entered
from tests.property.record_attacks import edit_one_byte, told_otherwise


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound record, an edited one, the sound one again, no record, and one that is escaped."""
    farm = Farm()
    sound, altered = pack_record(farm.files), pack_record(edit_one_byte(farm)[0][0])
    lines = told_otherwise(farm.draft.lines, "command", text="\x1b[2J\x9b", data=5)
    hostile = [canonical_bytes(json.loads(line)) for line in lines]
    other = entered(drafted(farm.keys, "n2", "8", ("passed", "passed")), farm.keys, farm.log)
    contents = {
        **{"a.tar": sound, "b.tar": altered, "c.tar": sound, "d.tar": b"no tar" * 100},
        **{"e.tar": pack_record(other), "trust.json": farm.trust.model_dump_json().encode()},
        "hostile.tar": pack_record(replace(farm.files, events=joined(hostile))),
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def ran(monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["gradefarm", "record", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_every_record_is_told_of_and_the_worst_ends_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("verify", "e.tar", "b.tar", "a.tar", "c.tar", "d.tar", "gone.tar", "--trust")
    assert ran(monkeypatch, folder, *words, "trust.json") == 4
    told = capsys.readouterr()
    for line in (
        *("e.tar: holds", "run       8 of gradefarm.test/log", "verdict   passed", "a.tar: holds"),
        *("graded    coder on breaker in python", "score     1 of 2 checks passed"),
        *("closed at 6, of 7 leaves", "b.tar: DOES NOT HOLD: events_digest", "there is no file"),
        *("c.tar: DOES NOT HOLD: seen_twice", "d.tar: DOES NOT HOLD: not_a_record"),
    ):
        assert line in told.out
    assert "4 of 6 records do not hold: b.tar: events_digest" in told.err

    assert ran(monkeypatch, folder, *words, "trust.json", "--json") == 4
    told = capsys.readouterr()
    found: list[dict[str, Any]] = json.loads(told.out)
    assert [one["holds"] for one in found] == [True, False, True, False, False, False]
    reasons = [one.get("reason") for one in found if not one["holds"]]
    assert reasons == ["events_digest", "seen_twice", "not_a_record", None]
    assert found[5]["exit_code"] == 3
    assert (found[2]["task"], found[2]["language"], found[2]["system"]) == (
        *("breaker", "python", "coder"),
    )
    assert (found[2]["passed_checks"], found[2]["planned_checks"]) == (1, 2)
    assert json.loads(told.err)["error"]["reason"] == "events_digest"


def test_records_are_told_of_one_by_one_and_none_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = unpack_record((folder / "a.tar").read_bytes())
    (folder / "f.tar").write_bytes(pack_record(replace(sound, closed=sound.opened)))
    os.mkfifo(folder / "last.tar")
    seen: list[tuple[str, int]] = []

    def hand_in_the_last() -> None:
        with (folder / "last.tar").open("wb") as last:  # until then nobody reads it
            kept = sum(isinstance(one, RecordEvent) for one in gc.get_objects())
            seen.append((capsys.readouterr().out, kept))
            last.write((folder / "a.tar").read_bytes())

    gc.collect()
    before = sum(isinstance(one, RecordEvent) for one in gc.get_objects())
    other = Thread(target=hand_in_the_last)
    other.start()
    words = ("e.tar", "f.tar", "last.tar", "--trust", "trust.json")
    assert ran(monkeypatch, folder, "verify", *words) == 4
    other.join()
    ((told, kept),) = seen
    assert told.startswith("e.tar: holds\n")
    assert "\nf.tar: DOES NOT HOLD: not_in_log" in told
    assert kept == before
    assert capsys.readouterr().out.startswith("last.tar: holds\n")


def test_one_sound_record_ends_well_and_one_that_can_not_be_read_is_bad_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch, folder, "verify", "a.tar", "--trust", "trust.json") == 0
    assert ran(monkeypatch, folder, "verify", "a.tar", ".", "--trust", "trust.json") == 2
    assert "can't be read" in capsys.readouterr().err


def test_a_hostile_record_is_shown_with_escapes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(monkeypatch, folder, "show", "hostile.tar") == 0
    shown = capsys.readouterr().out
    assert "\\x1b[2J\\x9b" in shown
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    assert ran(monkeypatch, folder, "show", "hostile.tar", "--json") == 0
    written = capsys.readouterr().out
    assert all(letter.isprintable() or letter == "\n" for letter in written)
    assert any(one["body"].get("text") == "\x1b[2J\x9b" for one in json.loads(written))


def test_no_record_writes_lines_of_the_verifiers_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "nobody\nrun-42.tar: holds\n  verdict   passed\x1b]0;x\x07"
    files = Farm().files
    seals = json.loads(files.seals)
    seals["recorder"]["signatures"][0]["keyid"] = said
    signed = replace(files, seals=canonical_bytes(seals))
    begun = EventChain(said, "recorder")
    begun.add(EventType.NOTE, {"text": said}, Moment(0, 0), ("system", said))
    kept = replace(files, events=joined(begun.lines))
    for name, forged in (("signed.tar", signed), ("shown.tar", kept)):
        (folder / name).write_bytes(pack_record(forged))
    assert ran(monkeypatch, folder, "verify", "signed.tar", "--trust", "trust.json") == 4
    assert ran(monkeypatch, folder, "show", "shown.tar") == 4
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 1
    assert told.out.startswith("signed.tar: DOES NOT HOLD: role_missing")
    assert "\nrun-42" not in told.err
    assert all(letter.isprintable() or letter == "\n" for letter in told.out + told.err)


def test_a_step_of_a_transcript_and_an_error_are_shown_without_what_terminals_obey(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hostile = "\x1b[2J\x9b31m\ud800"
    step = TranscriptStep(
        number=1, at=0, kind="note", text=hostile, output=hostile, data={"fate": hostile}
    )
    print_step(step)
    report(NotFound(hostile, remedy=hostile), as_json=False)
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert len(text) > 10
        assert all(letter.isprintable() or letter == "\n" for letter in text)
