"""`/api/gates`: proving verifiers, and the proofs: across languages, over time, as exports."""

from typing import Annotated, Any

from fastapi import APIRouter, BackgroundTasks, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from models.errors import InputFault, InvalidInput
from models.schemas.api_token import TokenRole
from models.schemas.gate import REFERENCE_REPEATS, GateColour
from scheduler.api.access import Who
from scheduler.api.change_record import ChangeRecord
from scheduler.api.planners import Planners
from scheduler.api.problem_responses import BAD_PAIR, NO_SUCH_NAME, REFUSED
from scheduler.farm_access.farm import ExportFormat
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.gates.decision_diff import DecisionDiff
from scheduler.gates.language_matrix import LanguageMatrix
from scheduler.gates.proofs import (
    BegunProofs,
    GateQuery,
    ProofPlan,
    ProofRecord,
    Proofs,
    record_of,
)

MOST_REPEATS = 2_000

Task = Annotated[str | None, Query(max_length=100, description="Only this task.")]
Language = Annotated[str | None, Query(max_length=100, description="Only this language.")]
Fault = Annotated[list[str], Query(description="Only these planted faults.")]
Check = Annotated[list[str], Query(description="Only these checks.")]
Digits = Annotated[
    str | None,
    Query(max_length=100, description="First digits of a universe's digest, six or more."),
]
Repeats = Annotated[
    int, Query(ge=1, le=MOST_REPEATS, description="How often the reference is graded.")
]
Named = Annotated[str, Path(max_length=100)]
NONE: list[str] = []
EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The report.",
        "content": {"application/json": {}, "application/xml": {}},
    }
}


class NewProof(BaseModel):
    """Verifiers to prove; without task and language all of them."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"example": {"task": "circuit-breaker"}}
    )

    task: str | None = Field(default=None, max_length=100)
    language: str | None = Field(default=None, max_length=100)
    repeats: int = Field(default=REFERENCE_REPEATS, ge=1, le=MOST_REPEATS)
    force: bool = Field(default=False, description="Also what is proved already.")


def gates_router(farm: LocalFarm, record: ChangeRecord, planners: Planners) -> APIRouter:
    """The operations below `/gates`."""
    router = APIRouter(prefix="/gates", tags=["gates"])
    _add_comparisons(router, farm)
    _add_exports(router, farm)
    _add_proving(router, farm, record, planners)
    _add_proofs(router, farm)
    return router


def _add_proofs(router: APIRouter, farm: LocalFarm) -> None:
    @router.get(
        "",
        summary="Proofs by task, language, fault, check and colour",
        responses=NO_SUCH_NAME,
    )
    def list_proofs(
        *,
        task: Task = None,
        language: Language = None,
        fault: Fault = NONE,
        check: Check = NONE,
        colour: Annotated[GateColour | None, Query(description="Only such decisions.")] = None,
        as_served: Annotated[
            bool, Query(description="Only those made with the tools that workers have now.")
        ] = False,
    ) -> Proofs:
        query = GateQuery(task, language, tuple(fault), tuple(check))
        found = farm.gates.proofs(query, as_served=as_served)
        proofs = tuple(
            record_of(one)
            for one in found
            if colour is None or (one.decision and one.decision.colour is colour)
        )
        return Proofs(green=bool(proofs) and all(one.green for one in proofs), proofs=proofs)

    @router.get("/{task}/{language}", summary="The proof of one variant", responses=NO_SUCH_NAME)
    def one_proof(task: Named, language: Named) -> ProofRecord:
        [found] = farm.gates.proofs(GateQuery(task, language))
        return record_of(found)


def _add_comparisons(router: APIRouter, farm: LocalFarm) -> None:
    @router.get(
        "/matrix",
        summary="Languages x subjects x checks, one matrix for each task",
        responses=NO_SUCH_NAME,
    )
    def matrices(
        task: Task = None,
        language: Language = None,
        fault: Fault = NONE,
        check: Check = NONE,
    ) -> list[LanguageMatrix]:
        return list(farm.gates.matrices(GateQuery(task, language, tuple(fault), tuple(check))))

    @router.get(
        "/diff",
        summary="Two universes of one variant, held against each other",
        description="Give `before` and `after`, or `task` and `language` for the last two.",
        responses=BAD_PAIR | NO_SUCH_NAME | REFUSED,
    )
    def difference(
        before: Digits = None, after: Digits = None, task: Task = None, language: Language = None
    ) -> DecisionDiff:
        if before and after and not (task or language):
            return farm.gates.difference(before, after)
        if task and language and not (before or after):
            return farm.gates.last_difference(task, language)
        pairs = (("before", before), ("after", after), ("task", task), ("language", language))
        remedy = "give before and after, or task and language"
        faults = [
            InputFault(f"query.{name}", "missing" if value is None else "one too many", remedy)
            for name, value in pairs
            if (value is None) == (name in _pair_of(before or after))
        ]
        raise InvalidInput("the request", faults)


def _pair_of(by_digits: str | None) -> tuple[str, str]:
    return ("before", "after") if by_digits else ("task", "language")


def _add_exports(router: APIRouter, farm: LocalFarm) -> None:
    @router.get(
        "/export/{report}",
        summary="Proofs as Stryker's mutation testing report, CTRF, or JUnit XML",
        response_class=Response,
        responses=EXPORTED | NO_SUCH_NAME | REFUSED,
    )
    def export(
        report: ExportFormat,
        who: Who,
        task: Task = None,
        language: Language = None,
        *,
        sources: Annotated[
            bool, Query(description="With the text of references, for admins: the answer key.")
        ] = False,
    ) -> Response:
        if sources:
            who.refuse_below(TokenRole.ADMIN)
        told = farm.gates.export(report, GateQuery(task, language), with_sources=sources)
        kind = "xml" if report is ExportFormat.JUNIT else "json"
        return Response(told, media_type=f"application/{kind}")


def _add_proving(
    router: APIRouter, farm: LocalFarm, record: ChangeRecord, planners: Planners
) -> None:
    @router.get("/plan", summary="What has to be proved (again), and why", responses=NO_SUCH_NAME)
    def plan(
        *,
        task: Task = None,
        language: Language = None,
        repeats: Repeats = REFERENCE_REPEATS,
        force: Annotated[bool, Query(description="Also what is proved already.")] = False,
    ) -> ProofPlan:
        return farm.proving.plan(GateQuery(task, language), repeats=repeats, force=force)

    @router.post(
        "",
        status_code=201,
        summary="Prove what is not proved; goes on with what was interrupted",
        responses=NO_SUCH_NAME | REFUSED,
    )
    def begin(body: NewProof, who: Who, later: BackgroundTasks) -> BegunProofs:
        query = GateQuery(body.task, body.language)
        insert = planners.behind(later)
        begun = farm.proving.begin(query, repeats=body.repeats, force=body.force, insert=insert)
        for campaign in begun:
            record.keep(who, "prove", campaign)
        return BegunProofs(campaigns=begun)
