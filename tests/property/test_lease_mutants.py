"""The lease machine is worth its time: it finds every fault that was planted for it."""

import subprocess
import sys

import pytest

from tests.property.lease_mutants import CONTROLS, MUTANTS, ROOT, Mutant, is_as_it_should_be

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def fates() -> dict[str, str]:
    """What the command's table says of each, by name: in a process that has not imported the farm
    yet, and in which the machine's time goes to nothing else."""
    command = [sys.executable, "-m", "tests.property.lease_mutants"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    rows = [line.strip("| ").split(" | ", 1) for line in done.stdout.splitlines()[2:]]
    assert len(rows) == len(MUTANTS) + len(CONTROLS), done.stderr
    return dict(rows)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_machine_finds(mutant: Mutant, fates: dict[str, str]) -> None:
    assert is_as_it_should_be(mutant, fates[mutant.name]), fates[mutant.name]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
def test_no_fault_is_found_in(control: Mutant, fates: dict[str, str]) -> None:
    assert is_as_it_should_be(control, fates[control.name]), fates[control.name]
