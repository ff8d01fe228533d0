"""A machine that can't hold what its stages may use says so before it judges anything."""

from workers.memory_need import MemoryNeed, memory_need
from workers.sandbox.machine_memory import usable_memory_bytes


def test_stages_that_fit_are_in_order() -> None:
    assert MemoryNeed(has_mb=2_048, stage_mb=512).shortage(4) == ""


def test_stages_that_do_not_fit_are_named_with_what_would() -> None:
    said = MemoryNeed(has_mb=4_000, stage_mb=2_048).shortage(2)
    assert "2 x 2048 MiB" in said
    assert "--concurrency 1" in said


def test_the_need_is_that_of_the_hungriest_stage() -> None:
    assert memory_need(2**30, (), ()) == MemoryNeed(1_024, 1)


def test_this_machine_has_memory() -> None:
    assert usable_memory_bytes() > 2**27
