"""What the junk that was fed to the comparators says against a verifier. Pure."""

from collections.abc import Iterator, Sequence

from models.schemas.check_report import ComparatorFault
from models.schemas.gate import GateReason, GateRule, GateRun

WAYS = {
    "passes": "is taken for the right answer",
    "raises": "can not be read without an error of the grader",
}


def comparator_reasons(reference: Sequence[GateRun]) -> Iterator[GateReason]:
    """One reason for each junk answer that a comparator did not refuse.

    `reference` are the reference's runs that are evidence: the grader of one of them fed the
    comparators of all checks. Where none did, nothing is known.
    """
    probes = [run.evidence.probe for run in reference if run.evidence and run.evidence.probe]
    if reference and not probes:
        text = "no grader of the reference fed the comparators junk: run the gate again"
        yield GateReason(rule=GateRule.COMPARATORS_WERE_PROBED, text=text)
    for fault in dict.fromkeys(fault for probe in probes for fault in probe.faults):
        yield _reason(fault)


def _reason(fault: ComparatorFault) -> GateReason:
    more = f" ({fault.text})" if fault.text else ""
    text = f"{fault.check}: {fault.junk} {WAYS[fault.problem]}{more}:"
    text += " correct the comparator, or choose another comparison for the check"
    return GateReason(rule=GateRule.COMPARATOR_SURVIVES, check=fault.check, text=text)
