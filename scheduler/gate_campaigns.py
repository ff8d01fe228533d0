"""Parity gates as campaigns: what is proved, what has to be proved again and why, what to send."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pydantic import JsonValue
from sqlalchemy.orm import Session

from models.schemas.agents import SUBJECT_AGENT
from models.schemas.campaign import CampaignKind, CampaignSpec, SystemSpec
from models.schemas.campaign_progress import CampaignView
from models.schemas.gate import (
    REFERENCE,
    STARTER,
    Control,
    GateColour,
    ParityDecision,
    control_subject,
    fault_subject,
)
from models.schemas.task import TaskManifest
from models.storage.campaigns import unended_campaigns, variants_asked
from models.storage.gates import ProvingTools, find_decision, last_decision
from models.storage.transaction import Database
from scheduler.gates.proofs import VariantProof
from scheduler.gates.universe_changes import changes_between, tool_changes
from tasks_catalog.catalog import Catalog

GATE_PRIORITY = 10
"""Evaluations wait for proofs, so proofs go first."""
LONGEST_NAME = 64
SLEEP_WALL_S = 0.25
"""What each check of the control `sleep` gets: it ends by the clock, however long that is."""

Serving = Mapping[str, Collection[ProvingTools]]
"""The tools that workers serve each language with now; languages that none serves are left out."""


def proofs_of(
    database: Database,
    catalog: Catalog,
    variants: Iterable[tuple[str, str]],
    serving: Serving | None = None,
) -> list[VariantProof]:
    """What is known of each (task, language) in its present universe.

    With `serving`, only what was decided with the tools that a language is served with counts.
    """
    with database.read() as session:
        return [
            _proof_of(session, catalog, task, language, (serving or {}).get(language))
            for task, language in variants
        ]


def _proof_of(
    session: Session,
    catalog: Catalog,
    task: str,
    language: str,
    tools: Collection[ProvingTools] | None,
) -> VariantProof:
    universe = catalog.variant(task, language).universe
    decision = find_decision(session, task, language, universe, tools)
    if decision is not None and decision.colour is GateColour.GREEN:
        return VariantProof(task, language, universe, decision)
    if decision is not None:
        because: tuple[str, ...] = (f"its last gate was {decision.colour}",)
    elif (last := last_decision(session, task, language)) is None:
        because = ("never proved before",)
    else:
        because = _changes_since(last, catalog, tools or ())
    return VariantProof(task, language, universe, decision, because)


def _changes_since(
    last: ParityDecision, catalog: Catalog, tools: Collection[ProvingTools]
) -> tuple[str, ...]:
    """Why the newest decision of another universe, or with other tools, proves nothing now."""
    parts = catalog.universe_details(last.task, last.language)
    used = (last.toolchain, last.isolation)
    other_tools = tool_changes(used, tools) if tools and used not in tools else ()
    return (*changes_between(last.parts, parts), *other_tools) or ("its universe changed",)


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
    others += [subject_system(control_subject(control)) for control in Control]
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
    settings: dict[str, JsonValue] = {"subject": subject, "repeat": repeat}
    if subject == control_subject(Control.SLEEP):
        settings["check_wall_s"] = SLEEP_WALL_S
    return SystemSpec(name=name + suffix, agent=SUBJECT_AGENT, settings=settings)


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


def outdated_gates(database: Database, catalog: Catalog, tasks: Collection[str]) -> list[str]:
    """The gates of `tasks` that have not ended, and can't prove anything any more.

    Their universe is no longer the catalogue's: every run that is left would be void.
    """
    with database.read() as session:
        return [
            campaign.id
            for campaign in unended_campaigns(session)
            if campaign.kind is CampaignKind.GATE
            and not set(tasks).isdisjoint(campaign.spec.tasks)
            and any(
                asked.universe != catalog.variant(asked.task, asked.language).universe
                for asked in variants_asked(session, campaign.id)
            )
        ]
