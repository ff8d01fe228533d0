"""What every language keeps to, whichever it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from models.verdicts import CheckOutcome
from tasks_catalog.loading import load_languages
from tests.contract.language_bench import (
    LanguageBench,
    judged,
    language_bench,
    language_ground,
)
from workers.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.real

LANGUAGES = load_languages(Path(__file__).resolve().parents[2] / "tasks_catalog" / "languages")


@pytest.fixture(scope="module")
def ground() -> Iterator[tuple[Path, Sandbox]]:
    with language_ground() as made:
        yield made


@pytest.fixture(scope="module", params=sorted(LANGUAGES))
def bench(request: pytest.FixtureRequest, ground: tuple[Path, Sandbox]) -> LanguageBench:
    return language_bench(*ground, LANGUAGES[request.param])


ODD_BYTES = b"\x00\xff\r\n\xf0\x9f\xa6\x80 {work} \\n\n\n"
TABLE = b"table\n6 3\nab 1\n\nc\xc3\xa90 5\nempty6 0\nother\n7 1\nab 1\n\n\n!"


def test_a_control_program_keeps_to_its_modes(bench: LanguageBench) -> None:
    assert (bench.tell(b"exit\nnothing").stdout, bench.tell(b"exit\n").exit_code) == (b"", 0)
    said = bench.tell(b"say\n" + ODD_BYTES)
    assert (said.stdout, said.exit_code) == (ODD_BYTES, 0)
    assert bench.tell(b"say\n").stdout == b""
    answers = {"ab 1\n\n": "c\u00e9", "": "empty", "other\n": "", "ab 1\n\n\n": "!", "ab 1\n": ""}
    for asked, answer in answers.items():
        told = bench.tell(TABLE, asked)
        assert (told.stdout.decode(), told.exit_code) == (answer, 0), repr(asked)


def test_a_program_that_sleeps_for_ever_runs_into_its_limit(bench: LanguageBench) -> None:
    slept = bench.tell(b"sleep\n", wall_s=1.0)
    assert judged(slept) is CheckOutcome.TIMEOUT
    assert slept.cpu_s < 0.9
