"""`/api/farm`, `/api/variants`, `/api/catalogue`, and probes of what keeps the process running."""

from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from models.migrations.upgrade import check_database, database_revision
from models.schemas.api_protocol import API_PROTOCOL
from models.schemas.api_token import TokenRole
from scheduler.api.access import Who
from scheduler.api.problem_responses import REFUSED, UNAVAILABLE
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.metrics.farm_collector import FarmCollector, metrics_text
from tasks_catalog.listing import CatalogListing

FIGURES = "text/plain; version=0.0.4; charset=utf-8"


class FarmFacts(BaseModel):
    """What a client has to know first. `role` is what its token, or anybody, may do here."""

    service: Literal["gradefarm"] = "gradefarm"
    version: str
    protocol: int
    revision: str | None
    role: TokenRole


class Health(BaseModel):
    """The answer to a probe."""

    status: Literal["ok"] = "ok"


def facts_router(farm: LocalFarm) -> APIRouter:
    """What a client asks first."""
    router = APIRouter(tags=["farm"])

    @router.get("/farm", summary="Version, protocol and schema, and what the caller may do")
    def facts(who: Who) -> FarmFacts:
        return FarmFacts(
            version=version("gradefarm"),
            protocol=API_PROTOCOL,
            revision=database_revision(farm.database),
            role=who.role,
        )

    @router.get("/variants", summary="The languages of every task of the catalogue")
    def variants() -> dict[str, tuple[str, ...]]:
        return farm.catalogue.variants()

    @router.get("/catalogue", summary="Every task and language, with what there is to say of it")
    def catalogue() -> CatalogListing:
        return farm.catalogue.listing()

    return router


def probes_router(farm: LocalFarm) -> APIRouter:
    """What machines ask: probes, which need no token and tell nothing, and figures."""
    router = APIRouter(tags=["probes"])
    collector = FarmCollector(farm.database, farm.clock)

    @router.get(
        "/metrics",
        summary="Figures of the farm in Prometheus' text format; needs a token, unlike the others",
        response_class=Response,
        responses={200: {"description": "The figures.", "content": {"text/plain": {}}}},
    )
    def metrics() -> Response:
        return Response(metrics_text(collector), media_type=FIGURES)

    @router.get("/healthz", summary="The process is alive")
    async def healthz() -> Health:
        return Health()

    @router.get(
        "/readyz",
        summary="The database answers and has the schema that this version needs",
        responses=UNAVAILABLE | REFUSED,
    )
    def readyz() -> Health:
        check_database(farm.database)
        return Health()

    return router
