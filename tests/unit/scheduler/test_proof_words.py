"""Why something is proved again, and what came of it, in words."""

from models.schemas.campaign import CampaignState
from models.schemas.campaign_progress import CampaignProgress
from models.schemas.gate import (
    FlipRate,
    GateColour,
    GateEvidence,
    ParityDecision,
    SubjectRow,
    SubjectRun,
)
from scheduler.activity.joined import joined_progress
from scheduler.cli.proof_text import cost_lines, flip_lines, plan_lines
from scheduler.gates.proof_cost import proof_cost
from scheduler.gates.proofs import VariantProof
from scheduler.gates.universe_changes import changes_between, tool_changes


def decision(language: str, *evidence: GateEvidence, flips: int = 0) -> ParityDecision:
    runs = tuple(
        SubjectRun(run_id=number, repeat=number, built=True, evidence=one)
        for number, one in enumerate(evidence, 1)
    )
    row = SubjectRow(subject="reference", outcomes={}, built=True, repeats=3, voids=1, runs=runs)
    rate = FlipRate(
        subject="reference", flips=flips, repeats=3, upper_bound=0.631597, confidence=0.95
    )
    return ParityDecision(
        task="adder",
        language=language,
        universe="u",
        manifest_digest="m",
        toolchain="t",
        isolation="strong",
        colour=GateColour.GREEN,
        reasons=(),
        checks=("one",),
        rows=(row,),
        flip_rates=(rate,),
    )


def test_a_change_is_named_by_its_smallest_piece() -> None:
    before = {
        "ticket": "1",
        "checks": "1",
        "check one": "1",
        "check two": "1",
        "starter_files": "1",
        "file public/go/main.go": "1",
        "reference_files": "1",
        "file sealed/go/reference/main.go": "1",
        "faults": "1",
        "fault off": "1",
        "fault_patches": "1",
        "file sealed/go/faults/off.patch": "1",
        "plan": "1",
    }
    after = before | {"checks": "2", "check two": "2", "starter_files": "2"}
    after |= {"file public/go/main.go": "2", "file public/go/more.go": "2"}
    assert changes_between(before, after) == (
        "check two changed",
        "file public/go/main.go changed",
        "file public/go/more.go added",
    )
    assert changes_between(before, before | {"ticket": "2"}) == ("ticket changed",)
    assert changes_between(before, before) == ()
    fewer = {name: digest for name, digest in before.items() if name != "fault off"}
    assert changes_between(before, fewer | {"faults": "2"}) == ("fault off removed",)


def test_an_order_that_changed_has_no_smaller_piece_to_name() -> None:
    before = {"faults": "1", "fault off": "1", "fault on": "1"}
    assert changes_between(before, before | {"faults": "2"}) == ("faults changed",)


def test_files_of_a_reference_do_not_stand_for_those_of_faults() -> None:
    before = {"reference_files": "1", "fault_patches": "1", "file sealed/go/faults/off.patch": "1"}
    after = before | {"fault_patches": "2", "file sealed/go/faults/off.patch": "2"}
    assert changes_between(before, after) == ("file sealed/go/faults/off.patch changed",)


def test_other_tools_are_named_with_those_of_before() -> None:
    proved = ("go 1.26.8", "bubblewrap")
    assert tool_changes(proved, [("go 1.26.9", "bubblewrap")]) == (
        "toolchain go 1.26.8 → go 1.26.9",
    )
    assert tool_changes(proved, [("go 1.26.8", "unisolated without network")]) == (
        "isolation bubblewrap → unisolated without network",
    )


def test_variants_with_one_reason_share_a_paragraph() -> None:
    changed = tuple(f"check {number} changed" for number in range(8))
    proofs = [
        VariantProof("adder", "go", "u", None, ("never proved before",)),
        VariantProof("adder", "rust", "u", None, ("never proved before",)),
        VariantProof("cache", "go", "u", None, changed),
    ]
    assert list(plan_lines(proofs, 64, 200)) == [
        "to prove: 3 of 64 verifiers; 61 are proved already",
        "  adder/{go,rust}: never proved before",
        "  cache/go: " + ", ".join(changed[:6]) + " and 2 more",
    ]


def test_the_cost_of_proofs_is_told_with_the_share_of_compilers() -> None:
    made = GateEvidence(wall_s=4, cpu_s=3, build_cpu_s=1.5, build_needed=True)
    spared = GateEvidence(wall_s=2, cpu_s=2, build_needed=True, build_cached=True)
    interpreted = GateEvidence(wall_s=1, cpu_s=1)
    decisions = [decision("go", made, spared), decision("python", interpreted)]
    cost = proof_cost(decisions)
    assert (cost.runs, cost.cpu_s, cost.build_cpu_s, cost.builds, cost.spared) == (3, 6, 1.5, 1, 1)
    assert list(cost_lines(decisions, 65, 62)) == [
        "2 verifiers decided in 1 min 05 s with 3 graded runs; 62 proved before",
        "6 s of processor time in sandboxes, 25 % of it in compilers: 1 builds made, 1 spared",
    ]
    assert proof_cost([]).compiler_share == 0.0


def test_flips_are_told_for_all_and_for_each() -> None:
    first, second = flip_lines([decision("go"), decision("rust")])
    assert first == (
        "flips: 0 in 6 repeats, 2 void: the mean rate of 2 verifiers lies below 39 % "
        "(95 % confidence)"
    )
    assert second.startswith("each alone: at least 3 repeats, below 63 %; 299 repeats")
    assert list(flip_lines([])) == []


def progress(name: str, state: CampaignState, **counts: int) -> CampaignProgress:
    return CampaignProgress.model_validate(
        {"campaign_id": name, "state": state, "total": 10, "waiting": 0, **counts}
    )


def test_several_campaigns_are_followed_as_one_until_all_have_stopped() -> None:
    first = progress("one", CampaignState.FINISHED, passed=4, failed=6)
    second = progress("two", CampaignState.RUNNING, passed=1, grade_leased=2)
    both = joined_progress([first, second])
    assert (both.campaign_id, both.state) == ("2 campaigns", CampaignState.RUNNING)
    assert (both.total, both.ended, both.grade_leased) == (20, 11, 2)
    stopped = progress("two", CampaignState.CANCELLED, cancelled=10)
    assert joined_progress([first, stopped]).state is CampaignState.CANCELLED
    assert joined_progress([first, first]).state is CampaignState.FINISHED
    assert joined_progress([second]) is second
