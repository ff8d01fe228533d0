"""The grade stage: the frozen state against every planned check, and what that is worth."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from models.canonical import canonical_bytes, digest_of
from models.errors import Infrastructure
from models.schemas.agents import SUBJECT_AGENT
from models.schemas.attempt import GradeResult
from models.schemas.check_report import CheckReport
from models.schemas.run import RunOrder
from models.schemas.task import SealedHalf
from models.storage.gates import proved_toolchain
from models.verdicts import VoidCategory
from workers.agent_stage import refuse_other_material, refuse_what_changed_meanwhile, runtime_for
from workers.checks.build import GradingBench
from workers.checks.check_digests import CheckDigests, digest_checks
from workers.checks.grading import Findings, GradedState, grade_state
from workers.checks.outcome import JudgedFacts, decide_outcome
from workers.checks.protected_files import restore_protected
from workers.hands import Hands
from workers.languages.language_runtime import LanguageRuntime
from workers.snapshots import restore_snapshot
from workers.stage_stopped import stop_when


def grade(hands: Hands, order: RunOrder, cancelled: Callable[[], bool]) -> GradeResult:
    """Grade the snapshot of `order` from scratch; nothing of its agent stage is needed but that.

    Raises Infrastructure, StageStopped, and other FarmErrors where the catalogue is at fault.
    """
    runtime = runtime_for(hands, order)
    refuse_other_material(hands, order)
    _refuse_unproved_toolchain(hands, order, runtime)
    sealed = hands.catalog.sealed_half(order.task, order.language)
    findings = _findings(hands, order, sealed, runtime, cancelled)
    refuse_what_changed_meanwhile(hands, order, runtime)
    report = CheckReport(
        task=order.task,
        language=order.language,
        universe=order.universe,
        snapshot=_snapshot_of(order),
        manifest_digest=_digests(hands, order, sealed).manifest,
        build=findings.build,
        checks=findings.checks,
    )
    planned = sealed.public.manifest.check_ids
    results = tuple((check.id, check.outcome) for check in report.checks)
    changed = order.changed is not False
    decided = decide_outcome(planned, JudgedFacts(report.build.ok, results, changed))
    if decided.void is not None:
        raise Infrastructure(
            decided.void,
            f"{order.task}/{order.language}: the checks asked are not exactly the planned ones.",
            remedy="`gradefarm catalog validate` names the difference.",
        )
    return GradeResult(
        verdict=decided.verdict,
        undelivered=decided.undelivered,
        report=report,
        report_artifact=hands.artifacts.put(canonical_bytes(report.model_dump(mode="json"))),
        resources=findings.resources,
        toolchain=runtime.identity,
        isolation=hands.plan.isolation,
    )


def _findings(
    hands: Hands,
    order: RunOrder,
    sealed: SealedHalf,
    runtime: LanguageRuntime,
    cancelled: Callable[[], bool],
) -> Findings:
    settings = hands.plan.settings
    bench = GradingBench(
        sandbox=hands.sandbox,
        runtime=runtime,
        store=hands.artifacts.put,
        builds=settings.scratch / "builds",
        cancelled=cancelled,
        remembers=order.system.agent != SUBJECT_AGENT,
    )
    snapshot = _snapshot_of(order)
    with TemporaryDirectory(prefix="gradefarm-graded-", ignore_cleanup_errors=True) as name:
        sources = Path(name)
        restore_snapshot(snapshot, hands.artifacts, sources, stop_when(cancelled))
        restore_protected(sealed.public.starter, sources, sealed.public.manifest.protected)
        sources.chmod(0o755)
        content = digest_of([snapshot, order.universe])
        state = GradedState(sources, content, sealed, _digests(hands, order, sealed))
        return grade_state(bench, state)


def _digests(hands: Hands, order: RunOrder, sealed: SealedHalf) -> CheckDigests:
    """A universe fixes its checks, so that they are digested once."""
    digests = hands.digests.get(order.universe)
    if digests is None:
        digests = hands.digests[order.universe] = digest_checks(sealed.checks)
    return digests


def _snapshot_of(order: RunOrder) -> str:
    if order.snapshot is None:
        raise Infrastructure(
            VoidCategory.UNKNOWN, f"run {order.run_id} was to be graded without a snapshot."
        )
    return order.snapshot


def _refuse_unproved_toolchain(hands: Hands, order: RunOrder, runtime: LanguageRuntime) -> None:
    """A verifier proved with another toolchain is not proved with this one.

    Gate campaigns prove it with the toolchain that is there: no older proof binds them.
    """
    if order.system.agent == SUBJECT_AGENT:
        return
    with hands.database.read() as session:
        proved = proved_toolchain(session, order.task, order.language, order.universe)
    if proved is not None and proved != runtime.identity:
        raise Infrastructure(
            VoidCategory.TOOLCHAIN_MISMATCH,
            f"{order.task}/{order.language} was proved with {proved}, but "
            f"{hands.plan.name} has {runtime.identity}.",
            remedy="Run the gate again with this toolchain, or install the proved one.",
        )
