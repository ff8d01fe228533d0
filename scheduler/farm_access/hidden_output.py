"""Takes out of check reports what only those may know who may know the answers."""

from models.errors import FarmError
from models.schemas.check_report import CheckEvidence, CheckReport, CheckResult
from tasks_catalog.catalog import Catalog
from tasks_catalog.content_hash import check_digest

NOTHING = {"stdout": "", "stdout_text": "", "stderr": "", "stderr_text": "", "difference": ""}


def without_hidden_output(catalog: Catalog, report: CheckReport) -> CheckReport:
    """The report without what hidden checks and the build printed, in the same shape.

    What a hidden check printed when it passed is the expected answer. A check is visible only
    where the catalogue has a visible one that asks word for word the same; else it is hidden.
    """
    visible = _visible_checks(catalog, report)
    checks = [
        one if visible.get(one.id) == one.check_digest else _blank(one) for one in report.checks
    ]
    build = report.build.model_copy(update={"evidence": _without_output(report.build.evidence)})
    # With the salt, an answer could be guessed at the digest that stands in the run's record.
    return report.model_copy(update={"build": build, "checks": tuple(checks), "salt": ""})


def _visible_checks(catalog: Catalog, report: CheckReport) -> dict[str, str]:
    try:
        shown = catalog.public_half(report.task, report.language).visible_checks
    except (FarmError, OSError):
        return {}
    return {check.id: check_digest(check) for check in shown}


def _blank(check: CheckResult) -> CheckResult:
    return check.model_copy(update={"evidence": _without_output(check.evidence)})


def _without_output(evidence: CheckEvidence | None) -> CheckEvidence | None:
    return evidence and evidence.model_copy(update=NOTHING)
