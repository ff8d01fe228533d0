"""What commands print keeps to its lines, whoever named the things that it tells of."""

import pytest

from models.counted_nouns import counted
from models.schemas.recording import Recording, RecordingFormat, RecordingSource
from models.schemas.transcript import TranscriptStep
from scheduler.cli.recordings import print_recording

HOSTILE = "a\nrecording 9\tb\r\x1b[2J\x9b31m\u2028c"


def test_a_recording_can_not_write_lines_or_orders_to_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = Recording(
        format=RecordingFormat.ATIF,
        agent=HOSTILE,
        agent_version=HOSTILE,
        session=HOSTILE,
        models=(HOSTILE,),
        ending=HOSTILE,
        told=(HOSTILE,),
        sources=(RecordingSource(name=HOSTILE, digest="sha256:" + "0" * 64, size=1),),
        steps=(TranscriptStep(number=1, at=0, kind="note", text="said"),),
    )
    print_recording(1, found)
    written = capsys.readouterr().out
    assert all(letter.isprintable() or letter == "\n" for letter in written)
    heads = [line.split()[0] for line in written.splitlines() if line]
    assert heads == [
        *("recording", "session", "models", "tokens", "file", "note"),
        *("[1]", "said", "ended:"),
    ]


def test_one_of_a_thing_is_not_told_in_the_plural() -> None:
    told = [counted(count, "blob") for count in (0, 1, 2)]
    assert told == ["0 blobs", "1 blob", "2 blobs"]
    assert [counted(count, "leaf", "leaves") for count in (1, 2)] == ["1 leaf", "2 leaves"]
