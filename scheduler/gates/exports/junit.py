"""A gate as JUnit XML: one suite for each variant. Pure."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from models.schemas.gate import ParityDecision
from scheduler.gates.gate_cases import (
    RESULT_OF,
    CaseResult,
    GateCase,
    cases_of,
    other_reasons,
)

TAGS = {CaseResult.OTHERWISE: "failure", CaseResult.OPEN: "error"}
"""An error says that the farm could not tell, a failure that the verifier is disproved."""
MILLISECONDS = 1000
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_report(decisions: Sequence[ParityDecision]) -> bytes:
    """The report in UTF-8. A passed test is a subject that ended as declared."""
    root = Element("testsuites", {"name": "gradefarm parity gates"})
    for decision in decisions:
        _suite(root, decision)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _suite(root: Element, decision: ParityDecision) -> None:
    cases = cases_of(decision)
    whole = RESULT_OF[decision.colour]
    results = [whole, *(case.result for case in cases)]
    suite = SubElement(
        root,
        "testsuite",
        {
            "name": f"{decision.task}/{decision.language}",
            "tests": str(len(results)),
            "failures": str(results.count(CaseResult.OTHERWISE)),
            "errors": str(results.count(CaseResult.OPEN)),
            "skipped": "0",
            "time": _seconds(sum(case.milliseconds for case in cases)),
        },
    )
    if decision.decided_at:
        suite.set("timestamp", decision.decided_at.removesuffix("Z"))
    _properties(suite, decision)
    gate = SubElement(
        suite,
        "testcase",
        {"classname": f"{decision.task}.{decision.language}", "name": "gate", "time": "0.000"},
    )
    _tell(gate, whole, decision.colour.value, "\n".join(other_reasons(decision)))
    for case in cases:
        _case(suite, case)


def _properties(suite: Element, decision: ParityDecision) -> None:
    held = SubElement(suite, "properties")
    for name in ("universe", "manifest_digest", "toolchain", "isolation", "campaign_id"):
        SubElement(held, "property", {"name": name, "value": str(getattr(decision, name))})


def _case(suite: Element, case: GateCase) -> None:
    element = SubElement(
        suite,
        "testcase",
        {
            "classname": f"{case.task}.{case.language}.{case.subject}",
            "name": case.check,
            "time": _seconds(case.milliseconds),
        },
    )
    outcome = "no evidence" if case.outcome is None else case.outcome.value
    _tell(element, case.result, outcome, case.text)


def _tell(element: Element, result: CaseResult, outcome: str, text: str) -> None:
    tag = TAGS.get(result)
    if tag:
        SubElement(element, tag, {"message": outcome, "type": outcome}).text = _legal(text)


def _legal(text: str) -> str:
    """`text` without the characters that XML 1.0 can't hold, however they are written."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / MILLISECONDS:.3f}"
