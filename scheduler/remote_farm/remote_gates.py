"""Proofs of a farm elsewhere, and runs of its parity gates."""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.farm_access.farm import ExportFormat
from scheduler.gates.decision_diff import DecisionDiff
from scheduler.gates.language_matrix import LanguageMatrix
from scheduler.gates.proofs import BegunProofs, GateQuery, ProofPlan, Proofs, VariantProof
from scheduler.remote_farm.connection import Connection, Params, Request


@dataclass(frozen=True)
class RemoteGates:
    """Keeps `Gates` over HTTP."""

    connection: Connection

    def proofs(self, query: GateQuery, *, as_served: bool = False) -> list[VariantProof]:
        """The newest decision about each variant."""
        request = Request("GET", "gates", {**_params(query), "as_served": as_served})
        found = self.connection.ask(request, Proofs).proofs
        return [VariantProof(one.task, one.language, one.universe, one.decision) for one in found]

    def matrices(self, query: GateQuery) -> Sequence[LanguageMatrix]:
        """One matrix of all languages for each task."""
        request = Request("GET", "gates/matrix", _params(query))
        return self.connection.ask(request, list[LanguageMatrix])

    def difference(self, before: str, after: str) -> DecisionDiff:
        """Two universes of a variant."""
        request = Request("GET", "gates/diff", {"before": before, "after": after})
        return self.connection.ask(request, DecisionDiff)

    def last_difference(self, task: str, language: str) -> DecisionDiff:
        """The last two decided universes of a variant."""
        request = Request("GET", "gates/diff", {"task": task, "language": language})
        return self.connection.ask(request, DecisionDiff)

    def export(self, report: ExportFormat, query: GateQuery, *, with_sources: bool) -> bytes:
        """As the server writes it."""
        params = {"task": query.task, "language": query.language, "sources": with_sources}
        return self.connection.ask_bytes(Request("GET", f"gates/export/{report}", params))


@dataclass(frozen=True)
class RemoteProving:
    """Keeps `Proving` over HTTP."""

    connection: Connection

    def plan(self, query: GateQuery, *, repeats: int, force: bool) -> ProofPlan:
        """What has to be proved there, and why."""
        params = {
            "task": query.task,
            "language": query.language,
            "repeats": repeats,
            "force": force,
        }
        return self.connection.ask(Request("GET", "gates/plan", params), ProofPlan)

    def begin(self, query: GateQuery, *, repeats: int, force: bool) -> tuple[str, ...]:
        """Start what `plan` says; returns the campaigns."""
        body = {
            "task": query.task,
            "language": query.language,
            "repeats": repeats,
            "force": force,
        }
        return self.connection.ask(Request("POST", "gates", body=body), BegunProofs).campaigns


def _params(query: GateQuery) -> Params:
    return {
        "task": query.task,
        "language": query.language,
        "fault": query.faults,
        "check": query.checks,
    }
