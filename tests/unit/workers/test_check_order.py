"""Repeats ask in different orders, the same ones everywhere; the first asks in the plan's."""

from itertools import permutations

import pytest
from pydantic import JsonValue

from models.schemas.campaign import CampaignLimits, SystemSpec
from models.schemas.run import RunOrder, Stage
from workers.checks.check_order import check_order
from workers.checks.grading_terms import EVALUATION, GradingTerms, grading_terms

PLAN = tuple(f"check-{number}" for number in range(12))


def terms(agent: str, settings: dict[str, JsonValue], universe: str = "u") -> GradingTerms:
    order = RunOrder(
        run_id=1,
        campaign_id="gate-1",
        stage=Stage.GRADE,
        token=1,
        attempt_id=1,
        attempt_number=1,
        system=SystemSpec(name="one", agent=agent, settings=settings),
        task="adder",
        language="python",
        repeat=1,
        universe=universe,
        public_digest="p",
        limits=CampaignLimits(),
    )
    return grading_terms(order, PLAN)


def test_every_repeat_asks_all_checks_in_an_order_of_its_own() -> None:
    orders = [check_order(PLAN, "seed", repeat) for repeat in range(1, 31)]
    assert orders[0] == PLAN
    assert len(set(orders)) == 30
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(PLAN))}
    assert orders == [check_order(PLAN, "seed", repeat) for repeat in range(1, 31)]
    assert check_order(PLAN, "another", 2) != orders[1]


def test_of_few_checks_all_orders_come_before_one_comes_again() -> None:
    few = ("a", "b", "c")
    orders = [check_order(few, "seed", repeat) for repeat in range(1, 8)]
    assert set(orders[:6]) == set(permutations(few))
    assert orders[6] == orders[0] == few
    assert check_order(("a",), "seed", 9) == ("a",)


def test_an_order_is_the_same_in_every_version() -> None:
    assert check_order(("a", "b", "c", "d"), "seed", 2) == ("d", "c", "b", "a")


def test_an_evaluation_is_graded_on_no_special_terms() -> None:
    assert terms("reference", {}) is EVALUATION
    assert terms("stochastic", {"solve_probability": 0.5}) is EVALUATION


def test_the_first_reference_builds_afresh_and_feeds_the_comparators_junk() -> None:
    first = terms("subject", {"subject": "reference"})
    assert (first.asked, first.builds_afresh, first.probes) == ((), True, True)
    second = terms("subject", {"subject": "reference", "repeat": 2})
    assert (second.builds_afresh, second.probes, second.wall_cap_s) == (False, False, None)
    assert second.asked != PLAN
    assert sorted(second.asked) == sorted(PLAN)
    assert second == terms("subject", {"subject": "reference", "repeat": 2})
    assert second != terms("subject", {"subject": "reference", "repeat": 2}, universe="other")


@pytest.mark.parametrize("subject", ["starter", "fault:off", "control:sleep"])
def test_other_subjects_are_asked_in_plan_order(subject: str) -> None:
    found = terms("subject", {"subject": subject})
    assert (found.proves, found.asked, found.builds_afresh, found.probes) == (
        True,
        (),
        False,
        False,
    )
    assert bool(found.unbuilt) is subject.startswith("control:")


def test_only_controls_can_have_their_time_cut() -> None:
    cut = terms("subject", {"subject": "control:sleep", "check_wall_s": 0.25})
    assert cut.wall_cap_s == 0.25
    with pytest.raises(ValueError, match="task's limits"):
        terms("subject", {"subject": "reference", "check_wall_s": 0.25})
    with pytest.raises(ValueError, match="control:exit"):
        terms("subject", {"subject": "control:win"})
