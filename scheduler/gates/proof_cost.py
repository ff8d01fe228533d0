"""What proofs cost: processor time in judged programs and in compilers, builds made and spared.
Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from models.schemas.gate import GateEvidence, ParityDecision


@dataclass(frozen=True, slots=True)
class ProofCost:
    """Sums over the graded runs of some decisions; seconds of processor time in sandboxes.

    `builds` were made by a compiler, `spared` ones were there from a run before.
    """

    runs: int
    cpu_s: float
    build_cpu_s: float
    builds: int
    spared: int

    @property
    def compiler_share(self) -> float:
        """The part of the processor time that compilers took, from 0 to 1."""
        return self.build_cpu_s / self.cpu_s if self.cpu_s else 0.0


def proof_cost(decisions: Iterable[ParityDecision]) -> ProofCost:
    """What the runs behind `decisions` used, as far as it was kept with them."""
    kept = [evidence for decision in decisions for evidence in _evidence(decision)]
    built = [evidence for evidence in kept if evidence.build_needed]
    return ProofCost(
        runs=len(kept),
        cpu_s=sum(evidence.cpu_s for evidence in kept),
        build_cpu_s=sum(evidence.build_cpu_s for evidence in built),
        builds=sum(not evidence.build_cached for evidence in built),
        spared=sum(evidence.build_cached for evidence in built),
    )


def _evidence(decision: ParityDecision) -> Iterable[GateEvidence]:
    return (run.evidence for row in decision.rows for run in row.runs if run.evidence)
