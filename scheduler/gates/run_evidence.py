"""Which runs of a parity gate are evidence, and why the others are none. Pure."""

from collections.abc import Iterator, Sequence

from models.schemas.gate import GateReason, GateRule, GateRun, ParityExpectation


def is_evidence(expectation: ParityExpectation, run: GateRun) -> bool:
    """Whether a run was graded, on exactly what the gate is about."""
    return run.voided is None and not any(unfit_reasons(expectation, run))


def unfit_reasons(expectation: ParityExpectation, run: GateRun) -> Iterator[GateReason]:
    """Why a run is about something else than the gate; a void run says nothing of checks."""
    if run.universe != expectation.universe:
        text = f"run {run.run_id} is of universe {run.universe or 'none'}: start a new gate"
        yield GateReason(rule=GateRule.ONE_UNIVERSE, subject=run.subject, text=text)
    if run.voided is not None:
        return
    if run.manifest_digest != expectation.manifest_digest:
        text = f"run {run.run_id} was asked the checks {run.manifest_digest or 'unknown'}, not the"
        text += " task's: bring its worker's catalogue up to date and run the gate again"
        yield GateReason(rule=GateRule.ONE_MANIFEST, subject=run.subject, text=text)
    yield from _miscounted(expectation.checks, run)


def _miscounted(planned: tuple[str, ...], run: GateRun) -> Iterator[GateReason]:
    executed = [check for check, _ in run.outcomes]
    for check in sorted({*planned, *executed}, key=lambda c: (c not in planned, c)):
        times = executed.count(check)
        if times == 1 and check in planned:
            continue
        what = "is not planned but reported" if check not in planned else f"is reported {times}x"
        text = f"run {run.run_id}: {check} {what}; every planned check must be there exactly once"
        yield GateReason(
            rule=GateRule.EVERY_CHECK_ONCE, subject=run.subject, check=check, text=text
        )
    if sorted(executed) == sorted(planned) and tuple(executed) != planned:
        text = f"run {run.run_id} reports the checks in another order than the plan's"
        yield GateReason(rule=GateRule.EVERY_CHECK_ONCE, subject=run.subject, text=text)


def strangers(expectation: ParityExpectation, runs: Sequence[GateRun]) -> Iterator[GateReason]:
    """One reason for each subject that has runs and that the task doesn't declare."""
    known = set(expectation.subjects)
    for subject in sorted({run.subject for run in runs} - known):
        text = "it has runs, but the task declares no such subject: start a new gate"
        yield GateReason(rule=GateRule.SUBJECT_IS_DECLARED, subject=subject, text=text)


def mixed_tools(expectation: ParityExpectation, runs: Sequence[GateRun]) -> Iterator[GateReason]:
    """Reasons where the graded runs used no, or more than one, toolchain or isolation."""
    graded = [run for run in runs if run.voided is None and run.subject in expectation.subjects]
    for rule, what, found in (
        (GateRule.ONE_TOOLCHAIN, "toolchain", {run.toolchain for run in graded}),
        (GateRule.ONE_ISOLATION, "isolation", {run.isolation for run in graded}),
    ):
        if "" in found:
            text = f"a graded run names no {what}: run the gate again on a worker that reports it"
            yield GateReason(rule=rule, text=text)
        if len(found - {""}) > 1:
            listed = "; ".join(sorted(found - {""}))
            text = f"the runs used more than one {what} ({listed}): run the gate again with one"
            yield GateReason(rule=rule, text=text)
