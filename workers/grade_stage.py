"""The grade stage: the frozen state against every planned check, and what that is worth."""

import secrets
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from models.canonical import canonical_bytes, digest_of
from models.errors import Infrastructure
from models.run_outcome import JudgedFacts, decide_outcome
from models.schemas.agents import SUBJECT_AGENT
from models.schemas.attempt import GradeResult
from models.schemas.check import Check
from models.schemas.check_report import CheckReport
from models.schemas.record_bodies import UniverseProof
from models.schemas.record_statement import RunResult
from models.schemas.run import RunOrder
from models.schemas.task import SealedHalf
from models.storage.gates import proved_toolchains
from models.verdicts import VoidCategory
from tasks_catalog.check_digests import CheckDigests, digest_checks
from tasks_catalog.content_hash import tree_digest
from tasks_catalog.file_tree import digest_tree
from workers.agent_stage import refuse_other_material, refuse_what_changed_meanwhile, runtime_for
from workers.checks.build import GradingBench
from workers.checks.comparator_probe import probe_comparators
from workers.checks.grading import Findings, GradedState, grade_state
from workers.checks.grading_terms import GradingTerms, grading_terms
from workers.checks.protected_files import protected_digest, restore_protected
from workers.checks.remembered_builds import MOST_BUILDS, MOST_PROOF_BUILDS
from workers.checks.suite_files import SealedSuite
from workers.hands import Hands
from workers.languages.language_runtime import LanguageRuntime
from workers.run_recorder import RunRecorder
from workers.snapshots import restore_snapshot
from workers.stage_stopped import stop_when


def grade(
    hands: Hands,
    order: RunOrder,
    cancelled: Callable[[], bool],
    recorder: RunRecorder | None = None,
) -> GradeResult:
    """Grade the snapshot of `order` from scratch; nothing of its agent stage is needed but that.
    `recorder` goes on with the record of the run.

    Raises Infrastructure, StageStopped, and other FarmErrors where the catalogue is at fault.
    """
    runtime = runtime_for(hands, order)
    refuse_other_material(hands, order)
    _refuse_unproved_toolchain(hands, order, runtime)
    sealed = hands.catalog.sealed_half(order.task, order.language)
    terms = grading_terms(order, sealed.manifest.check_ids)
    bench = _bench(hands, runtime, terms, cancelled)
    findings = _findings(hands, order, sealed, terms, bench)
    refuse_what_changed_meanwhile(hands, order, runtime)
    report = CheckReport(
        task=order.task,
        language=order.language,
        universe=order.universe,
        snapshot=_snapshot_of(order),
        manifest_digest=_digests(hands, order, sealed).manifest,
        build=findings.build,
        checks=findings.checks,
        asked=terms.asked,
        wall_cap_s=terms.wall_cap_s,
        probe=probe_comparators(_compared(sealed)) if terms.probes else None,
        salt=secrets.token_hex(32),
    )
    planned = sealed.manifest.check_ids
    worth = _worth(order, planned, report)
    document = canonical_bytes(report.model_dump(mode="json"))
    return GradeResult(
        verdict=worth.verdict,
        undelivered=worth.undelivered,
        report=report,
        report_artifact=hands.artifacts.put(document),
        resources=findings.resources,
        toolchain=runtime.identity,
        isolation=hands.plan.isolation,
        record=None
        if recorder is None
        else recorder.close_run(report, document, worth, _universe(hands, order, sealed)),
    )


def _universe(hands: Hands, order: RunOrder, sealed: SealedHalf) -> UniverseProof:
    """What proves to a verifier that exactly the planned checks were asked."""
    manifest = sealed.manifest
    return UniverseProof(
        kind=manifest.kind,
        plan=tuple((check.id, check.visibility.value) for check in manifest.checks),
        parts=dict(hands.catalog.universe_parts(order.task, order.language)),
    )


def _worth(order: RunOrder, planned: tuple[str, ...], report: CheckReport) -> RunResult:
    """What the run is worth. Raises Infrastructure where other checks were asked than planned."""
    results = tuple((check.id, check.outcome) for check in report.checks)
    changed = order.changed is not False
    decided = decide_outcome(planned, JudgedFacts(report.build.ok, results, changed))
    if decided.void is not None:
        raise Infrastructure(
            decided.void,
            f"{order.task}/{order.language}: the checks asked are not exactly the planned ones.",
            remedy="`gradefarm catalog validate` names the difference.",
        )
    return RunResult(verdict=decided.verdict, undelivered=decided.undelivered)


def _findings(
    hands: Hands,
    order: RunOrder,
    sealed: SealedHalf,
    terms: GradingTerms,
    bench: GradingBench,
) -> Findings:
    with TemporaryDirectory(prefix="gradefarm-graded-", ignore_cleanup_errors=True) as name:
        sources = Path(name)
        restore_snapshot(_snapshot_of(order), hands.artifacts, sources, stop_when(bench.cancelled))
        restore_protected(sealed.public.starter, sources, sealed.public.manifest.protected)
        sources.chmod(0o755)
        content = _content(order, sealed, terms, sources) if bench.runtime.definition.build else ""
        digests, suite = _digests(hands, order, sealed), _suite(hands, sealed)
        return grade_state(bench, GradedState(sources, content, sealed, digests, terms, suite))


def _bench(
    hands: Hands, runtime: LanguageRuntime, terms: GradingTerms, cancelled: Callable[[], bool]
) -> GradingBench:
    """Gates keep their builds apart: they neither use what judged code was built into, nor push
    it out."""
    scratch = hands.plan.settings.scratch
    return GradingBench(
        sandbox=hands.sandbox,
        runtime=runtime,
        store=hands.artifacts.put,
        builds=scratch / ("proof-builds" if terms.proves else "builds"),
        cancelled=cancelled,
        remembers=not terms.builds_afresh,
        most_builds=MOST_PROOF_BUILDS if terms.proves else MOST_BUILDS,
    )


def _content(order: RunOrder, sealed: SealedHalf, terms: GradingTerms, sources: Path) -> str:
    """Names all that a build of `sources` can depend on, without reading them where it can."""
    if terms.unbuilt:
        read = (file for file in digest_tree(sources) if file.path not in terms.unbuilt)
        return tree_digest(read)
    protected = protected_digest(sealed.public.starter, sealed.public.manifest.protected)
    return digest_of([_snapshot_of(order), protected])


def _compared(sealed: SealedHalf) -> list[Check]:
    """The checks whose answers are compared here: a suite compares those of its tests itself."""
    return [check for check in sealed.checks if isinstance(check, Check)]


def _suite(hands: Hands, sealed: SealedHalf) -> SealedSuite | None:
    """The task's native suite with what runs it here. Raises NotFound where nothing does."""
    if sealed.suite is None or sealed.suite_files is None:
        return None
    catalog, language = hands.catalog, sealed.public.language
    runner, folder = catalog.suite_runner(language), catalog.suite_runner_folder(language)
    return SealedSuite(sealed.suite, sealed.suite_files, runner, folder)


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
    proved = hands.database.ask_patiently(
        lambda session: proved_toolchains(session, order.task, order.language, order.universe)
    )
    if proved and runtime.identity not in proved:
        raise Infrastructure(
            VoidCategory.TOOLCHAIN_MISMATCH,
            f"{order.task}/{order.language} was proved with {' and '.join(proved)}, but "
            f"{hands.plan.name} has {runtime.identity}.",
            remedy="Run the gate again with this toolchain, or install the proved one.",
        )
