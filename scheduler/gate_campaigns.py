"""Parity gates as campaigns: which subjects to send, and what their runs decide."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from models.clock import Clock, as_iso
from models.schemas.agents import SUBJECT_AGENT
from models.schemas.campaign import CampaignKind, CampaignSpec, SystemSpec
from models.schemas.campaign_progress import CampaignView
from models.schemas.gate import (
    REFERENCE,
    STARTER,
    GateColour,
    GateReason,
    GateRule,
    ParityDecision,
    ParityExpectation,
    fault_subject,
)
from models.schemas.task import TaskManifest, Variant
from models.storage.campaigns import campaign_row, find_campaign, unended_campaigns, variants_asked
from models.storage.gates import (
    collect_gate_runs,
    decisions_of,
    find_decision,
    save_decision,
)
from models.storage.transaction import Database
from scheduler.gates.parity import compare_languages, decide_parity
from tasks_catalog.catalog import Catalog

GATE_PRIORITY = 10
"""Evaluations wait for proofs, so proofs go first."""
LONGEST_NAME = 64


@dataclass(frozen=True)
class VariantProof:
    """A variant and the newest decision about it in its present universe, if any."""

    task: str
    language: str
    universe: str
    decision: ParityDecision | None

    @property
    def is_green(self) -> bool:
        """Whether the verifier of this variant is proved."""
        return self.decision is not None and self.decision.colour is GateColour.GREEN


def proofs_of(
    database: Database, catalog: Catalog, variants: Iterable[tuple[str, str]]
) -> list[VariantProof]:
    """What is known of each (task, language) in its present universe."""
    proofs: list[VariantProof] = []
    with database.read() as session:
        for task, language in variants:
            universe = catalog.variant(task, language).universe
            decision = find_decision(session, task, language, universe)
            proofs.append(VariantProof(task, language, universe, decision))
    return proofs


def is_proved(session: Session, task: str, language: str, universe: str) -> bool:
    """Whether the newest decision about a variant in that universe is green."""
    decision = find_decision(session, task, language, universe)
    return decision is not None and decision.colour is GateColour.GREEN


def gate_spec(
    manifest: TaskManifest, languages: Sequence[str], reference_repeats: int
) -> CampaignSpec:
    """A campaign that sends every subject of a task once, the reference more often."""
    references = [subject_system(REFERENCE, repeat) for repeat in range(1, reference_repeats + 1)]
    others = [subject_system(STARTER)]
    others += [subject_system(fault_subject(fault.id)) for fault in manifest.faults]
    return CampaignSpec(
        name=f"gate-{manifest.id}"[:LONGEST_NAME].rstrip("-"),
        tasks=(manifest.id,),
        languages=tuple(languages),
        repeats=1,
        systems=(*references, *others),
        priority=GATE_PRIORITY,
        kind=CampaignKind.GATE,
    )


def subject_system(subject: str, repeat: int = 1) -> SystemSpec:
    """A subject as a system, called `starter`, `fault-<id>`, `reference`, `reference-2`, …"""
    name = subject.replace(":", "-")[: LONGEST_NAME - 6].rstrip("-")
    suffix = f"-{repeat}" if repeat > 1 else ""
    return SystemSpec(
        name=name + suffix, agent=SUBJECT_AGENT, settings={"subject": subject, "repeat": repeat}
    )


def reference_repeats_of(spec: CampaignSpec) -> int:
    """How often a gate campaign sends the reference."""
    return sum(system.settings.get("subject") == REFERENCE for system in spec.systems)


def unfinished_gate(database: Database, spec: CampaignSpec) -> CampaignView | None:
    """A gate campaign that asks exactly this and has not ended yet."""
    with database.read() as session:
        for campaign in unended_campaigns(session):
            if campaign.spec == spec:
                return campaign
    return None


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
        faults=manifest.faults,
        reference_repeats=reference_repeats,
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
                expectation_of(catalog, task, language, repeats), runs.get((task, language), ())
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


def with_language_reasons(
    decision: ParityDecision, reasons: Sequence[GateReason]
) -> ParityDecision:
    """The decision with what the comparison of languages says about its own language."""
    own = tuple(reason for reason in reasons if reason.language == decision.language)
    disproved = decision.colour is GateColour.GREEN and any(reason.blocks for reason in own)
    return decision.model_copy(
        update={
            "reasons": decision.reasons + own,
            "colour": GateColour.RED if disproved else decision.colour,
        }
    )


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
