"""Proofs of the farm whose database and catalogue are at hand."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_core import to_json

from models.clock import Clock, as_iso
from scheduler.farm_access.farm import ExportFormat
from scheduler.farm_access.local_workers import LocalWorkers
from scheduler.farm_access.worker_service import serving_tools
from scheduler.gate_campaigns import proofs_of
from scheduler.gate_queries import GateQueries
from scheduler.gates.decision_diff import DecisionDiff
from scheduler.gates.language_matrix import LanguageMatrix
from scheduler.gates.proofs import GateQuery, VariantProof


@dataclass(frozen=True)
class LocalGates:
    """Keeps `Gates` over a database and a catalogue."""

    queries: GateQueries
    workers: LocalWorkers
    clock: Clock

    def proofs(self, query: GateQuery, *, as_served: bool = False) -> Sequence[VariantProof]:
        """The newest decision about each variant, made with any tools or those served now."""
        if not as_served:
            return self.queries.proofs(query)
        serving = serving_tools(self.workers.living())
        queries = self.queries
        return proofs_of(queries.database, queries.catalog, queries.variants(query), serving)

    def matrices(self, query: GateQuery) -> Sequence[LanguageMatrix]:
        """One matrix of all languages for each task."""
        return self.queries.matrices(query)

    def difference(self, before: str, after: str) -> DecisionDiff:
        """Two universes of a variant."""
        return self.queries.difference(before, after)

    def last_difference(self, task: str, language: str) -> DecisionDiff:
        """The last two decided universes of a variant."""
        return self.queries.last_difference(task, language)

    def export(self, report: ExportFormat, query: GateQuery, *, with_sources: bool) -> bytes:
        """JUnit XML, or JSON with a line end."""
        if report is ExportFormat.JUNIT:
            return self.queries.junit_report(query)
        if report is ExportFormat.CTRF:
            told = self.queries.ctrf_report(query, as_iso(self.clock.now()))
        else:
            told = self.queries.mutation_report(query, with_sources=with_sources)
        return to_json(told, indent=2) + b"\n"
