"""`/api/gates`: proofs of verifiers, across languages, over time, and in other tools' formats."""

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from models.clock import Clock, as_iso
from models.schemas.gate import GateColour
from scheduler.gate_queries import GateQueries
from scheduler.gates.decision_diff import DecisionDiff
from scheduler.gates.language_matrix import LanguageMatrix
from scheduler.gates.proofs import GateQuery, ProofRecord, record_of

Task = Annotated[str | None, Query(description="Only this task.")]
Language = Annotated[str | None, Query(description="Only this language.")]
Fault = Annotated[list[str], Query(description="Only these planted faults.")]
Check = Annotated[list[str], Query(description="Only these checks.")]
Digits = Annotated[str, Query(description="First digits of a universe's digest, six or more.")]
NONE: list[str] = []


class Proofs(BaseModel):
    """All proofs that were asked for. `green` is true where every one of them is."""

    green: bool
    proofs: tuple[ProofRecord, ...]


class JsonExport(StrEnum):
    """Formats that are JSON."""

    STRYKER = "stryker"
    CTRF = "ctrf"


def gates_router(queries: GateQueries, clock: Clock) -> APIRouter:
    """The operations below `/gates`."""
    router = APIRouter(prefix="/gates", tags=["gates"])
    _add_comparisons(router, queries)
    _add_exports(router, queries, clock)
    _add_proofs(router, queries)
    return router


def _add_proofs(router: APIRouter, queries: GateQueries) -> None:
    @router.get("", summary="Proofs by task, language, fault, check and colour")
    def list_proofs(
        task: Task = None,
        language: Language = None,
        fault: Fault = NONE,
        check: Check = NONE,
        colour: Annotated[GateColour | None, Query(description="Only such decisions.")] = None,
    ) -> Proofs:
        found = queries.proofs(GateQuery(task, language, tuple(fault), tuple(check)))
        proofs = tuple(
            record_of(one)
            for one in found
            if colour is None or (one.decision and one.decision.colour is colour)
        )
        return Proofs(green=bool(proofs) and all(one.green for one in proofs), proofs=proofs)

    @router.get("/{task}/{language}", summary="The proof of one variant")
    def one_proof(task: str, language: str) -> ProofRecord:
        [found] = queries.proofs(GateQuery(task, language))
        return record_of(found)


def _add_comparisons(router: APIRouter, queries: GateQueries) -> None:
    @router.get("/matrix", summary="Languages x subjects x checks, one matrix for each task")
    def matrices(
        task: Task = None,
        language: Language = None,
        fault: Fault = NONE,
        check: Check = NONE,
    ) -> list[LanguageMatrix]:
        return queries.matrices(GateQuery(task, language, tuple(fault), tuple(check)))

    @router.get("/diff", summary="Two universes of one variant, held against each other")
    def difference(before: Digits, after: Digits) -> DecisionDiff:
        return queries.difference(before, after)


def _add_exports(router: APIRouter, queries: GateQueries, clock: Clock) -> None:
    @router.get("/export/junit", summary="JUnit XML", response_class=Response)
    def junit(task: Task = None, language: Language = None) -> Response:
        report = queries.junit_report(GateQuery(task, language))
        return Response(report, media_type="application/xml")

    @router.get(
        "/export/{report}", summary="Mutation testing report schema (without sources), or CTRF"
    )
    def export(report: JsonExport, task: Task = None, language: Language = None) -> dict[str, Any]:
        query = GateQuery(task, language)
        if report is JsonExport.CTRF:
            return queries.ctrf_report(query, as_iso(clock.now()))
        return queries.mutation_report(query, with_sources=False)
