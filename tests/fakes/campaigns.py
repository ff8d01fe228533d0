"""Campaigns written straight into a database, without a catalogue."""

from itertools import islice

from models.schemas.attempt import AgentResult, GradeResult, Resources
from models.schemas.campaign import CampaignSpec, CampaignState, SystemSpec
from models.schemas.check_report import BuildResult, CheckReport, CheckResult
from models.schemas.lease import LeaseTerms
from models.schemas.run import RunOrder
from models.schemas.task import Variant
from models.storage.campaign_states import change_campaign
from models.storage.plans import create_campaign, insert_runs, read_plan
from models.storage.transaction import Database
from models.verdicts import CheckOutcome, StopReason, Verdict
from scheduler.planning import plan_cells, runs_in_order

NOW = 1_700_000_000.0
TERMS = LeaseTerms(lease_s=60.0, beat_s=15.0, queue_slot_s=120.0)
SNAPSHOT = "sha256:" + "a" * 64
UNIVERSE = "sha256:" + "b" * 64
MANIFEST = "sha256:" + "c" * 64
PUBLIC = "sha256:" + "9" * 64


def variant(task: str = "circuit-breaker", language: str = "python") -> Variant:
    return Variant.model_validate(
        {"task": task, "language": language, "universe": UNIVERSE, "public_digest": PUBLIC}
    )


def scripted_systems(number: int) -> list[SystemSpec]:
    return [
        SystemSpec(name=f"system-{n}", agent="scripted", settings={"actions": [str(n)]})
        for n in range(number)
    ]


def campaign_spec(
    *,
    name: str = "demo",
    repeats: int = 2,
    systems: int | list[dict[str, object]] = 2,
    variants: tuple[Variant, ...] = (),
    **changes: object,
) -> CampaignSpec:
    chosen = variants or (variant(),)
    return CampaignSpec.model_validate(
        {
            "name": name,
            "tasks": list(dict.fromkeys(one.task for one in chosen)),
            "languages": list(dict.fromkeys(one.language for one in chosen)),
            "repeats": repeats,
            "systems": systems if isinstance(systems, list) else scripted_systems(systems),
            **changes,
        }
    )


def write_campaign(
    database: Database,
    spec: CampaignSpec | None = None,
    variants: tuple[Variant, ...] = (),
    *,
    now: float = NOW,
    regrades: str | None = None,
) -> str:
    """A running campaign with all of its runs planned; returns its id."""
    chosen = variants or (variant(),)
    spec = spec or campaign_spec(variants=chosen)
    with database.transaction() as session:
        campaign_id = create_campaign(
            session, spec, plan_cells(spec, chosen), unproven=False, now=now, regrades=regrades
        )
    runs = runs_in_order(len(chosen) * len(spec.systems), spec.repeats)
    while batch := list(islice(runs, 10_000)):
        with database.transaction() as session:
            assert insert_runs(session, read_plan(session, campaign_id), batch, now)
    with database.transaction() as session:
        assert change_campaign(
            session, campaign_id, (CampaignState.PLANNING,), CampaignState.RUNNING
        )
    return campaign_id


def agent_result(*, changed: bool = True, isolation: str = "bubblewrap") -> AgentResult:
    return AgentResult(
        stop_reason=StopReason.DONE,
        snapshot=SNAPSHOT,
        transcript="sha256:" + "d" * 64,
        changed=changed,
        resources=Resources(wall_s=1.5, cpu_s=0.5, peak_memory_bytes=5_000_000_000),
        toolchain="python 3.11.2",
        isolation=isolation,
    )


def grade_result(
    order: RunOrder,
    verdict: Verdict = Verdict.PASSED,
    *,
    undelivered: bool = False,
    universe: str | None = None,
    isolation: str = "bubblewrap",
) -> GradeResult:
    outcome = CheckOutcome.PASSED if verdict is Verdict.PASSED else CheckOutcome.WRONG
    checks = tuple(
        CheckResult(id=name, check_digest=MANIFEST, outcome=outcome) for name in ("one", "two")
    )
    return GradeResult(
        verdict=verdict,
        undelivered=undelivered,
        report=CheckReport(
            task=order.task,
            language=order.language,
            universe=universe or order.universe,
            snapshot=SNAPSHOT,
            manifest_digest=MANIFEST,
            build=BuildResult(needed=False, ok=True),
            checks=checks,
        ),
        report_artifact="sha256:" + "e" * 64,
        resources=Resources(wall_s=0.5, cpu_s=0.25),
        toolchain="python 3.11.2",
        isolation=isolation,
    )
