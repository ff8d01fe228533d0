"""What is asked and told about proofs of verifiers. Pure."""

from dataclasses import dataclass

from models.schemas.base import Schema
from models.schemas.gate import GateColour, ParityDecision


@dataclass(frozen=True, slots=True)
class GateQuery:
    """Which proofs, and which of their rows and columns; None and empty leave all in."""

    task: str | None = None
    language: str | None = None
    faults: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()


@dataclass(frozen=True)
class VariantProof:
    """A variant and the newest decision about it in its present universe, if any.

    `because`: why it has to be proved (again), in words; empty where it is proved.
    """

    task: str
    language: str
    universe: str
    decision: ParityDecision | None
    because: tuple[str, ...] = ()

    @property
    def is_green(self) -> bool:
        """Whether the verifier of this variant is proved."""
        return self.decision is not None and self.decision.colour is GateColour.GREEN


class ProofRecord(Schema):
    """The newest decision about one variant in its present universe, as it is told to programs."""

    task: str
    language: str
    universe: str
    green: bool
    decision: ParityDecision | None


class Proofs(Schema):
    """All proofs that were asked for. `green` is true where every one of them is."""

    green: bool
    proofs: tuple[ProofRecord, ...]


class BegunProofs(Schema):
    """The campaigns that prove what was asked for; none where all is proved."""

    campaigns: tuple[str, ...]


def record_of(proof: VariantProof) -> ProofRecord:
    """A proof as a record: the same on the command line and over HTTP."""
    return ProofRecord(
        task=proof.task,
        language=proof.language,
        universe=proof.universe,
        green=proof.is_green,
        decision=proof.decision,
    )


class ProofPlan(Schema):
    """What is known of every variant asked for, and which of them are to be proved.

    `unserved` languages are served by no living worker: their variants are in neither. `readying`
    ones have proofs, and a worker that is finding out whether it has the tools they were made with.
    """

    known: tuple[VariantProof, ...]
    to_prove: tuple[VariantProof, ...]
    repeats: int
    unserved: tuple[str, ...] = ()
    readying: tuple[str, ...] = ()
