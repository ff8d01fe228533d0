"""The application: routers, problem details, the OpenAPI description."""

from importlib.metadata import version

from fastapi import Depends, FastAPI

from models.clock import Clock
from models.storage.transaction import Database
from scheduler.api.gates import gates_router
from scheduler.api.loopback import refuse_foreign_name
from scheduler.api.problem_details import MEDIA_TYPE, Problem, ProblemFault, handle_problems
from scheduler.gate_queries import GateQueries
from tasks_catalog.catalog import Catalog

DESCRIPTION = """Read what the farm knows. Every error is a problem document (RFC 9457)."""


def build_api(database: Database, catalog: Catalog, clock: Clock) -> FastAPI:
    """The farm over HTTP; everything lies below `/api`, its description at `/api/docs`."""
    app = FastAPI(
        title="gradefarm",
        description=DESCRIPTION,
        version=version("gradefarm"),
        docs_url="/api/docs",
        redoc_url=None,
        openapi_url="/api/openapi.json",
        dependencies=[Depends(refuse_foreign_name)],
        responses={
            "4XX": _problem("The request can't be carried out."),
            "5XX": _problem("The farm can't answer now."),
        },
    )
    handle_problems(app)
    app.include_router(gates_router(GateQueries(database, catalog), clock), prefix="/api")
    return app


def _problem(description: str) -> dict[str, object]:
    """A response with its whole schema in place: a raw one is not among FastAPI's components."""
    schema = Problem.model_json_schema()
    faults = schema.pop("$defs")[ProblemFault.__name__]
    schema["properties"]["faults"]["items"] = faults
    return {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}
