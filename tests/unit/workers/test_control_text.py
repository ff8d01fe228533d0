"""What control programs are told: made of what is public, and of the planned ids."""

from pathlib import Path

import pytest

from models.schemas.gate import Control
from models.schemas.task import PublicHalf
from tasks_catalog.catalog import open_catalog
from tests.unit.tasks_catalog.small_package import write_languages, write_package
from workers.agents.control_text import MOST_BYTES, control_text


@pytest.fixture
def public(tmp_path: Path) -> PublicHalf:
    write_package(tmp_path / "tasks")
    catalog = open_catalog(tmp_path / "tasks", None, write_languages(tmp_path))
    return catalog.public_half("adder", "alpha")


PLANNED = ("shown-sum", "hidden-sum", "hidden-zero")


@pytest.mark.parametrize("control", [Control.EXIT, Control.SLEEP, Control.ECHO])
def test_a_plain_control_is_a_mode_alone(control: Control, public: PublicHalf) -> None:
    assert control_text(control, public, PLANNED) == f"{control}\n".encode()


def test_the_visible_examples_are_a_table_of_input_and_answer(public: PublicHalf) -> None:
    assert control_text(Control.VISIBLE_EXAMPLES, public, PLANNED) == b"table\n4 2\n1 2\n3\n"


def test_a_forged_report_passes_every_planned_check_in_many_formats(public: PublicHalf) -> None:
    text = control_text(Control.FORGED_PASS, public, PLANNED).decode()
    assert text.startswith("say\n")
    for check in PLANNED:
        assert f"- {check}\n" in text
        assert f'name="{check}"/>' in text
        assert f'"{check}","outcome":"passed"' in text


def test_every_answer_begins_with_the_right_one_and_goes_on(public: PublicHalf) -> None:
    text = control_text(Control.EVERY_ANSWER, public, PLANNED)
    assert text.startswith(b"say\n3\n3\n")
    assert text.count(b"\nnull\n") > 10
    assert len(text) <= MOST_BYTES + 4
