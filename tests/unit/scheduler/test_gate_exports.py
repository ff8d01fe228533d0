"""Gates in other tools' formats, held against those formats' own schemas."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import jsonschema
import pytest

from models.schemas.gate import GateColour, GateReason, GateRule
from models.schemas.task import Fault, FaultKind
from models.verdicts import CheckOutcome
from scheduler.gates.exports.ctrf import ctrf_report
from scheduler.gates.exports.junit import junit_report
from scheduler.gates.exports.mutation_report import FaultSources, mutant_status, mutation_report
from scheduler.gates.fault_places import FaultPlace, fault_place
from scheduler.gates.gate_cases import CaseResult, cases_of
from tests.conftest import miss
from tests.unit.scheduler.gate_samples import (
    CRASH,
    NOW_TEXT,
    PASSED,
    WRONG,
    decision,
    row,
    small_catalog,
    survived,
)

SPAN = (1_700_000_000_000, 1_700_000_060_000)
PATCH = b"""--- a/src/sum.txt
+++ b/src/sum.txt
@@ -3,4 +3,4 @@
 three
 four
-five
+FIVE
 six
"""
PLACE = FaultPlace("src/sum.txt", first=5, end=6, replacement="FIVE\n")


def published_schema(package: str, path: str) -> dict[str, Any]:
    """The schema that the makers of a format publish with their package."""
    try:
        found = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        miss("npm")
    roots = [Path(found.stdout.strip()), Path(os.environ.get("NODE_PATH", "."))]
    for root in roots:
        if (root / package / path).is_file():
            return json.loads((root / package / path).read_text())
    miss(f"the npm package {package} (npm install --global {package})")
    return None


def stryker(*decisions: Any, tmp_path: Path, sources: bool = False) -> dict[str, Any]:
    files = {"src/sum.txt": "one\ntwo\nthree\nfour\nfive\nsix\n"} if sources else {}
    known = FaultSources({"drops-sign": PLACE}, files)
    manifests = {"adder": small_catalog(tmp_path).task("adder")}
    told = mutation_report(decisions, manifests, {("adder", d.language): known for d in decisions})
    return json.loads(json.dumps(told))


def test_a_mutation_report_fits_the_published_schema(tmp_path: Path) -> None:
    schema = published_schema(
        "mutation-testing-report-schema", "dist/src/mutation-testing-report-schema.json"
    )
    red = decision(
        "beta", fault=row("fault:drops-sign", PASSED, PASSED, PASSED), reasons=(survived(),)
    )
    report = stryker(decision(), red, tmp_path=tmp_path, sources=True)
    jsonschema.validate(report, schema)


def test_a_ctrf_report_fits_the_published_schema() -> None:
    schema = published_schema("ctrf", "dist/ctrf-schema-0.0.json")
    open_one = decision("beta", fault=row("fault:drops-sign"), colour=GateColour.INCONCLUSIVE)
    told = ctrf_report([decision(), open_one], SPAN, NOW_TEXT)
    jsonschema.validate(json.loads(json.dumps(told)), schema)


def test_a_caught_fault_is_a_killed_mutant_with_its_checks(tmp_path: Path) -> None:
    report = stryker(decision(), tmp_path=tmp_path)
    [mutant] = report["files"]["adder/alpha/src/sum.txt"]["mutants"]
    assert mutant["status"] == "Killed"
    assert mutant["killedBy"] == ["adder/hidden-sum"]
    assert mutant["mutatorName"] == "missing_guard"
    assert mutant["location"]["start"] == {"line": 5, "column": 1}
    ids = [test["id"] for test in report["testFiles"]["adder/checks"]["tests"]]
    assert ids == ["adder/shown-sum", "adder/hidden-sum", "adder/hidden-zero"]


def test_the_answer_key_stays_out_unless_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    closed = json.dumps(stryker(decision(), tmp_path=tmp_path / "one"))
    opened = json.dumps(stryker(decision(), tmp_path=tmp_path / "two", sources=True))
    for secret in ("FIVE", "four"):
        assert secret not in closed
        assert secret in opened


@pytest.mark.parametrize(
    ("kind", "outcome", "built", "status"),
    [
        (FaultKind.BOUNDARY, WRONG, True, "Killed"),
        (FaultKind.BOUNDARY, PASSED, True, "Survived"),
        (FaultKind.BOUNDARY, CRASH, True, "RuntimeError"),
        (FaultKind.BOUNDARY, CheckOutcome.TIMEOUT, True, "RuntimeError"),
        (FaultKind.BOUNDARY, CheckOutcome.BUILD_FAILED, False, "CompileError"),
        (FaultKind.NON_TERMINATING, CheckOutcome.TIMEOUT, True, "Timeout"),
        (FaultKind.CRASHING, CRASH, True, "Killed"),
    ],
)
def test_only_what_the_gate_counts_as_caught_is_killed(
    kind: FaultKind, outcome: CheckOutcome, built: bool, status: str
) -> None:
    fault = Fault(id="drops-sign", kind=kind, title="t", required=("hidden-sum",))
    seen = row("fault:drops-sign", PASSED, outcome, PASSED, built=built)
    assert mutant_status(fault, seen) == status


def test_a_fault_without_evidence_is_pending() -> None:
    fault = Fault(id="f", kind=FaultKind.BOUNDARY, title="t", required=("hidden-sum",))
    assert mutant_status(fault, None) == "Pending"
    assert mutant_status(fault, row("fault:f")) == "Pending"


def test_the_place_of_a_fault_is_where_its_patch_first_changes_something() -> None:
    assert fault_place(PATCH) == PLACE
    removed = PATCH.replace(b"+FIVE\n", b"").replace(b"+3,4", b"+3,3")
    assert fault_place(removed) == FaultPlace("src/sum.txt", 5, 6, "")
    added = PATCH.replace(b"-five\n", b"").replace(b"-3,4", b"-3,3")
    assert fault_place(added) == FaultPlace("src/sum.txt", 5, 5, "FIVE\n")


def test_cases_are_as_declared_otherwise_or_open() -> None:
    red = decision(
        fault=row("fault:drops-sign", PASSED, PASSED, PASSED),
        starter=row("starter"),
        reasons=(survived(),),
    )
    results = {(case.subject, case.check): case.result for case in cases_of(red)}
    assert results["reference", "hidden-sum"] is CaseResult.AS_DECLARED
    assert results["fault:drops-sign", "hidden-sum"] is CaseResult.OTHERWISE
    assert results["fault:drops-sign", "hidden-zero"] is CaseResult.AS_DECLARED
    assert results["starter", "shown-sum"] is CaseResult.OPEN


def test_a_ctrf_report_counts_what_it_lists() -> None:
    odd = GateReason(rule=GateRule.ONE_TOOLCHAIN, text="two toolchains")
    told = ctrf_report([decision(), decision("beta", reasons=(survived(), odd))], SPAN, NOW_TEXT)
    results: Any = told["results"]
    summary, tests = results["summary"], results["tests"]
    assert summary["tests"] == len(tests) == 2 * (1 + 3 * 3)
    assert summary["passed"] + summary["failed"] + summary["other"] == len(tests)
    failed = {test["testId"]: test for test in tests if test["status"] == "failed"}
    assert set(failed) == {"adder/beta/gate", "adder/beta/fault:drops-sign/hidden-sum"}
    assert failed["adder/beta/gate"]["message"] == "one_toolchain: two toolchains"
    assert {test["duration"] for test in tests} == {0, 10, 20, 30}


def test_junit_tells_disproved_from_undecided() -> None:
    red = decision("beta", reasons=(survived(),))
    unknown = decision("gamma", fault=row("fault:drops-sign"), colour=GateColour.INCONCLUSIVE)
    root = fromstring(junit_report([decision(), red, unknown]))
    counts = [
        (suite.get("name"), suite.get("failures"), suite.get("errors"), suite.get("tests"))
        for suite in root
    ]
    assert counts == [
        ("adder/alpha", "0", "0", "10"),
        ("adder/beta", "2", "0", "10"),
        ("adder/gamma", "0", "4", "10"),
    ]
    texts = [failure.text for failure in root.iter("failure")]
    assert "fault_is_caught: hidden-sum passes in run 3 and must fail" in texts
    assert len(list(root.iter("error"))) == 4


def test_judged_words_cannot_break_the_xml() -> None:
    odd = survived().model_copy(update={"text": ']]> <&" \x00 \ud800 ends'})
    root = fromstring(junit_report([decision(reasons=(odd,))]))
    assert any("]]> <&" in (failure.text or "") for failure in root.iter("failure"))
