"""Late languages are taken up when they are proved, and given up when they can't be."""

import io
import sys
import time
from pathlib import Path

import pytest

from models.schemas.language import LanguageDefinition
from workers.languages.language_runtime import LanguageRuntime
from workers.late_languages import MOST_STARTS, LateLanguages

READY = """
import json, sys
for language in sys.argv[2:]:
    print(json.dumps({"language": language, "problem": "", "remedy": ""}), flush=True)
"""
REFUSES = READY.replace('"problem": ""', '"problem": "no compiler"')
DIES = "import os; os._exit(7)"
DIES_ONCE = """
import os, pathlib, sys
mark = pathlib.Path(MARK)
if not mark.exists():
    mark.touch()
    os._exit(7)
"""


def runtime(language: str) -> LanguageRuntime:
    definition = LanguageDefinition.model_validate(
        {
            "schema": 1,
            "id": language,
            "title": language,
            "files": ["*"],
            "toolchain": {
                "candidates": ["/bin/true"],
                "version": ["{tool}"],
                "version_pattern": "(1)",
                "minimum": "1",
            },
            "probe_files": {"main": "x"},
            "control_files": {"main": "x"},
            "run": {"argv": ["{tool}"]},
            "test": {"argv": ["{tool}"]},
        }
    )
    return LanguageRuntime(definition, Path("/bin/true"), "1", f"{language} 1", ())


def heard(script: str, *languages: str) -> tuple[list[str], LateLanguages]:
    """What was taken up until nothing is on its way any more."""
    command = (sys.executable, "-c", script)
    late = LateLanguages({one: runtime(one) for one in languages}, command)
    taken: list[str] = []
    late.start()
    give_up = time.monotonic() + 20
    while late.warming and time.monotonic() < give_up:
        late.poll(lambda one: taken.append(one.definition.id))
        time.sleep(0.01)
    return taken, late


def test_each_language_is_taken_up_once_it_is_ready() -> None:
    taken, late = heard(READY, "one", "two")
    assert (taken, late.warming) == (["one", "two"], ())
    assert not late.poll(lambda _: pytest.fail("taken up twice"))


def test_what_cannot_be_warmed_is_said_and_not_waited_for(
    worker_log: io.StringIO,
) -> None:
    taken, late = heard(REFUSES, "one")
    assert (taken, late.warming) == ([], ())
    assert "no compiler" in worker_log.getvalue()


def test_a_process_that_was_killed_is_started_again(tmp_path: Path) -> None:
    script = DIES_ONCE.replace("MARK", repr(str(tmp_path / "mark"))) + READY
    taken, _ = heard(script, "one")
    assert taken == ["one"]


def test_a_process_that_keeps_dying_is_given_up(worker_log: io.StringIO) -> None:
    taken, late = heard(DIES, "one")
    assert (taken, late.warming) == ([], ())
    assert "ended with 7" in worker_log.getvalue()
    assert MOST_STARTS > 1


def test_nothing_is_started_where_nothing_is_cold() -> None:
    late = LateLanguages({}, ("/no/such/program",))
    late.start()
    assert not late.poll(lambda _: None)
