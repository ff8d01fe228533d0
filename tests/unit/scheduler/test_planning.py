"""The plan of a campaign: pure, complete, balanced wherever it is stopped."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InvalidInput
from models.schemas.campaign import SystemSpec
from scheduler.planning import plan_cells, resolve_spec, runs_in_order, variants_of
from tests.fakes.campaigns import campaign_spec, variant

OFFERED = {"breaker": ("go", "python"), "cache": ("python",)}


def test_wildcards_stand_for_everything_in_the_catalogue() -> None:
    spec = campaign_spec().model_copy(update={"tasks": ("*",), "languages": ("*",)})
    resolved = resolve_spec(spec, OFFERED)
    assert (resolved.tasks, resolved.languages) == (("breaker", "cache"), ("go", "python"))
    assert variants_of(resolved, OFFERED) == (
        ("breaker", "go"),
        ("breaker", "python"),
        ("cache", "python"),
    )


def test_every_unknown_name_is_listed_at_once() -> None:
    spec = campaign_spec().model_copy(
        update={"tasks": ("braker", "cache"), "languages": ("pyton", "go")}
    )
    with pytest.raises(InvalidInput) as caught:
        resolve_spec(spec, OFFERED)
    text = str(caught.value)
    assert all(word in text for word in ("'braker'", "'pyton'", "cache is in none of them"))


def test_an_empty_catalogue_offers_nothing_to_plan() -> None:
    spec = campaign_spec().model_copy(update={"tasks": ("*",), "languages": ("*",)})
    with pytest.raises(InvalidInput, match="empty"):
        resolve_spec(spec, {})


def test_a_name_that_is_given_twice_is_planned_once() -> None:
    spec = campaign_spec().model_copy(
        update={"tasks": ("cache", "cache"), "languages": ("python",)}
    )
    assert resolve_spec(spec, OFFERED).tasks == ("cache",)


def test_agents_that_need_the_answer_key_get_a_queue_of_their_own() -> None:
    systems = (
        SystemSpec(name="reference", agent="reference"),
        SystemSpec(name="shell", agent="scripted", settings={"actions": ["true"]}),
    )
    spec = campaign_spec().model_copy(update={"systems": systems})
    cells = plan_cells(spec, (variant(language="go"),))
    assert [cell.agent_queue for cell in cells] == ["subject.go", "agent.go"]
    assert {cell.grade_queue for cell in cells} == {"grade.go"}


@given(cells=st.integers(1, 12), repeats=st.integers(1, 12), data=st.data())
def test_no_cell_is_ever_more_than_one_run_ahead(
    cells: int, repeats: int, data: st.DataObject
) -> None:
    stop = data.draw(st.integers(0, cells * repeats))
    counts = Counter(run.position for run in islice(runs_in_order(cells, repeats), stop))
    per_cell = [counts[position] for position in range(cells)]
    assert max(per_cell) - min(per_cell) <= 1


@given(cells=st.integers(1, 8), repeats=st.integers(1, 8), data=st.data())
def test_a_plan_that_was_interrupted_goes_on_where_it_was(
    cells: int, repeats: int, data: st.DataObject
) -> None:
    planned = data.draw(st.integers(0, cells * repeats))
    whole = list(runs_in_order(cells, repeats))
    assert list(runs_in_order(cells, repeats, planned)) == whole[planned:]
    assert len(set(whole)) == cells * repeats


def test_a_million_runs_are_planned_without_being_held() -> None:
    assert sum(1 for _ in runs_in_order(10, 100_000)) == 1_000_000
