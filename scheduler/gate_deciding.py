"""Decides the parity gates of campaigns that have ended, and keeps what was decided."""

from collections.abc import Sequence

from models.clock import Clock, as_iso
from models.schemas.campaign import CampaignKind
from models.schemas.gate import (
    GateColour,
    GateReason,
    GateRule,
    ParityDecision,
    ParityExpectation,
)
from models.schemas.task import Variant
from models.storage.campaigns import campaign_row, find_campaign, variants_asked
from models.storage.gates import collect_gate_runs, decisions_of, save_decision
from models.storage.transaction import Database
from scheduler.gate_campaigns import proofs_of, reference_repeats_of
from scheduler.gates.controls import control_expectations
from scheduler.gates.language_parity import compare_languages, with_language_reasons
from scheduler.gates.parity import decide_parity
from tasks_catalog.catalog import Catalog


def expectation_of(
    catalog: Catalog, task: str, language: str, reference_repeats: int
) -> ParityExpectation:
    """What the gate of one variant holds its runs against; needs the sealed half."""
    manifest = catalog.task(task)
    return ParityExpectation(
        task=task,
        language=language,
        universe=catalog.variant(task, language).universe,
        manifest_digest=catalog.manifest_digest(task),
        checks=manifest.check_ids,
        starter_fails=manifest.starter.fails,
        starter_may_fail=manifest.starter.may_fail,
        faults=manifest.faults,
        controls=control_expectations(manifest, catalog.sealed_half(task, language).checks),
        reference_repeats=reference_repeats,
        uses_suite=manifest.uses_suite,
    )


def decide_gate(
    database: Database, catalog: Catalog, campaign_id: str, clock: Clock
) -> list[ParityDecision]:
    """Decide about every variant of a gate campaign that has ended, and keep the decisions.

    Languages of the task that were proved before take part in the comparison. A gate that is
    decided stays so: asking again returns what was kept.
    """
    with database.read() as session:
        if kept := decisions_of(session, campaign_id):
            return kept
        spec = find_campaign(session, campaign_id).spec
        runs = collect_gate_runs(session, campaign_id)
    repeats = reference_repeats_of(spec)
    decisions: list[ParityDecision] = []
    for task in spec.tasks:
        fresh = [
            decide_parity(
                expectation_of(catalog, task, language, repeats),
                runs.get((task, language), ()),
                catalog.universe_details(task, language),
            )
            for language in spec.languages
        ]
        reasons = compare_languages([*fresh, *_earlier(database, catalog, task, spec.languages)])
        decisions += [with_language_reasons(decision, reasons) for decision in fresh]
    return _keep(database, decisions, campaign_id, clock)


def keep_undecided(database: Database, campaign_id: str, problem: str, clock: Clock) -> int:
    """Keep, for every variant of a gate, that it can't be decided and why; returns how many.

    Does nothing for a campaign that is no gate.
    """
    with database.read() as session:
        if campaign_row(session, campaign_id).kind is not CampaignKind.GATE:
            return 0
        variants = variants_asked(session, campaign_id)
    return len(_keep(database, [_undecided(one, problem) for one in variants], campaign_id, clock))


def _undecided(variant: Variant, problem: str) -> ParityDecision:
    reason = GateReason(
        rule=GateRule.CAN_BE_DECIDED,
        language=variant.language,
        text=f"the runs could not be judged: {problem} Mend that, and run the gate again.",
    )
    return ParityDecision(
        task=variant.task,
        language=variant.language,
        universe=variant.universe,
        manifest_digest="",
        toolchain="",
        isolation="",
        colour=GateColour.INCONCLUSIVE,
        reasons=(reason,),
        checks=(),
    )


def _earlier(
    database: Database, catalog: Catalog, task: str, without: Sequence[str]
) -> list[ParityDecision]:
    """Decisions that hold now about the other languages of a task."""
    defined = set(catalog.languages()) - set(without)
    others = [one for one in catalog.task(task).languages if one in defined]
    proofs = proofs_of(database, catalog, [(task, language) for language in others])
    return [proof.decision for proof in proofs if proof.decision is not None and proof.is_green]


def _keep(
    database: Database, decisions: list[ParityDecision], campaign_id: str, clock: Clock
) -> list[ParityDecision]:
    now = clock.now()
    dated = [
        decision.model_copy(update={"campaign_id": campaign_id, "decided_at": as_iso(now)})
        for decision in decisions
    ]
    with database.transaction() as session:
        for decision in dated:
            save_decision(session, decision, now)
    return dated
