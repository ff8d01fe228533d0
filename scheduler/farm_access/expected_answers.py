"""What checks expected, for people at a machine that holds the sealed half: nothing that is stored
says it."""

import json

from pydantic import JsonValue

from models.errors import NotFound
from models.schemas.check import Check
from models.schemas.check_report import CheckReport
from tasks_catalog.catalog import Catalog
from tasks_catalog.content_hash import check_digest


def expected_answers(catalog: Catalog, report: CheckReport) -> dict[str, str]:
    """The expected exit code and output by check id.

    Only of checks that are word for word those that were asked, and not of tests of a native
    suite, which hold what they expect; none at all where this machine doesn't hold the sealed half.
    """
    try:
        if not catalog.holds_sealed(report.task):
            return {}
        checks = catalog.sealed_half(report.task, report.language).checks
    except NotFound:
        return {}
    asked = {check.id: check.check_digest for check in report.checks}
    return {
        one.id: _words(one)
        for one in checks
        if isinstance(one, Check) and asked.get(one.id) == check_digest(one)
    }


def _words(check: Check) -> str:
    return f"exit {check.expect.exit}\n{_output(check.expect.stdout, check.compare.kind)}"


def _output(expected: JsonValue, kind: str) -> str:
    if kind == "json-lines" and isinstance(expected, list):
        return "\n".join(_output(value, "json") for value in expected)
    return str(expected) if kind == "text" else json.dumps(expected, ensure_ascii=False)
