"""Proves by a universe's digest which checks it plans, in which task and under which rules.

Everything else that a universe is made of stands there by its digest alone.
"""

from collections.abc import Iterable, Mapping

from models.canonical import digest_of
from models.identifiers import Digest
from models.records.refusal import Reason, RecordRefused
from models.schemas.record_bodies import UniverseProof


def universe_of(parts: Mapping[str, str]) -> Digest:
    """The universe of a variant, from the digests of its parts."""
    return digest_of(dict(parts))


def task_part(kind: str, task: str) -> Digest:
    """The part that names the task."""
    return digest_of([kind, task])


def plan_part(plan: Iterable[tuple[str, str]]) -> Digest:
    """The part that plans the checks, given as (id, visibility) in order."""
    return digest_of([list(check) for check in plan])


def rules_part(version: int) -> Digest:
    """The part that names the version of the grading rules."""
    return digest_of(version)


def refuse_other_universe(proof: UniverseProof, universe: str, task: str, rules: int) -> None:
    """Raises RecordRefused (universe), naming what differs, where the proof is not of that
    universe, or the universe not of that task, plan and rules."""
    known = {
        "task": task_part(proof.kind, task),
        "plan": plan_part(proof.plan),
        "rules": rules_part(rules),
    }
    wrong = [name for name, digest in known.items() if proof.parts.get(name) != digest]
    if wrong:
        raise _refused(f"its {' and '.join(wrong)} are not what the record says")
    if universe_of(proof.parts) != universe:
        raise _refused("its parts, as the verdict tells them, make another one")


def _refused(problem: str) -> RecordRefused:
    return RecordRefused(Reason.UNIVERSE, f"the graded universe does not hold: {problem}.")
