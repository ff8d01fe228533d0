"""What a reader should know that even a green gate of a variant doesn't prove. Pure."""

from collections.abc import Iterator

from models.schemas.gate import GateReason, GateRule, ParityExpectation

NATIVE_SUITE = (
    "its checks are tests of a native suite, which share a process with the code that they judge: "
    "weaker than answers that are compared outside"
)
NO_PLANTED_FAULTS = (
    "no faults are planted: that the checks would notice a slip in a solution is not proved"
)


def limits_of_proof(expectation: ParityExpectation) -> Iterator[GateReason]:
    """Reasons that don't block, whatever the runs say."""
    if expectation.uses_suite:
        yield GateReason(rule=GateRule.NATIVE_SUITE, text=NATIVE_SUITE, blocks=False)
    if not expectation.faults:
        yield GateReason(rule=GateRule.NO_PLANTED_FAULTS, text=NO_PLANTED_FAULTS, blocks=False)
