"""Aider's chat histories: Markdown in which the user, the model and Aider itself take turns."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from models.interchange.instants import epoch_of
from models.interchange.source_file import Reading, SourceFile
from models.interchange.step_list import StepList
from models.schemas.recording import Recording, RecordingFormat

Speaker = Literal["user", "agent", "aider"]

BEGUN = re.compile(r"# aider chat started at (.+)")
VERSION = re.compile(r"Aider v(\S+)")
MODEL = re.compile(r"(?:Main model|Model): (\S+)")
APPLIED = re.compile(r"Applied edit to (.+)")
MARKS: dict[str, Speaker] = {"#### ": "user", "> ": "aider"}
FENCE = re.compile(r"`{3,}")


def read_aider(files: Sequence[SourceFile]) -> Recording:
    """The sessions in the one file that there is, as one. Raises InvalidInput.

    It tells no times but those of beginnings, tokens only rounded, and of an edit only the file.
    """
    reading = Reading(files[0])
    lines = reading.text().splitlines()
    if not any(BEGUN.fullmatch(line) for line in lines):
        reading.fault("the file", "holds no line `# aider chat started at`, with which chats begin")
    reading.finish()
    telling = _Telling()
    for speaker, said in _passages(lines):
        telling.tell(speaker, said)
    return telling.recording(files[0])


def _passages(lines: list[str]) -> Iterator[tuple[Speaker, list[str]]]:
    """Lines that one of them says on end, without marks; what stands in a fence is the model's."""
    said: list[str] = []
    whose, fence = "agent", ""
    for line in lines:
        mark = "" if fence else next((one for one in MARKS if line.startswith(one)), "")
        speaker: Speaker = (
            "aider" if not fence and BEGUN.fullmatch(line) else MARKS.get(mark, "agent")
        )
        if found := FENCE.match(line):
            fence = "" if fence == found[0] else fence or found[0]
        if speaker != whose and said:
            yield whose, said
            said = []
        whose = speaker
        said.append(line.removeprefix(mark).rstrip())
    yield whose, said


class _Telling:
    def __init__(self) -> None:
        self._steps = StepList()
        self._turn = 0
        self._edits = 0
        self._models: list[str] = []
        self._version = ""
        self._at: float | None = None

    def tell(self, speaker: Speaker, said: list[str]) -> None:
        """Tell one passage."""
        text = "\n".join(said).strip()
        if speaker == "aider":
            for line in filter(None, said):
                self._tell_line(line)
        elif text:
            self._turn += 1
            if speaker == "agent":
                model = self._models[-1] if self._models else ""
                self._steps.model_call(model, None, at=self._at, turn=self._turn, data={})
            self._steps.message(speaker, text, at=self._at, turn=self._turn, data={})

    def recording(self, file: SourceFile) -> Recording:
        """All that was told."""
        return Recording(
            format=RecordingFormat.AIDER,
            agent="aider",
            agent_version=self._version,
            models=tuple(dict.fromkeys(self._models)),
            session=file.name,
            started_at=self._steps.began,
            steps=self._steps.steps(),
        )

    def _tell_line(self, line: str) -> None:
        if begun := BEGUN.fullmatch(line):
            self._at = epoch_of(begun[1])
        if version := VERSION.fullmatch(line):
            self._version = version[1]
        if model := MODEL.match(line):
            self._models.append(model[1])
        if applied := APPLIED.fullmatch(line):
            self._edits += 1
            call = f"edit-{self._edits}"
            args = {"file_path": applied[1]}
            self._steps.call(call, "edit", args, at=self._at, turn=self._turn, data={})
            self._steps.result(call, "", data={"ok": True})
        else:
            self._steps.note(line, at=self._at, turn=self._turn)
