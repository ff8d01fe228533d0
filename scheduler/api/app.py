"""The application: what stands before the routes, the routes, the description."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from importlib.metadata import version

import anyio.to_thread
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, JSONResponse

from scheduler.api.access import Access
from scheduler.api.access_gate import AccessGate
from scheduler.api.allowed_methods import tell_allowed_methods
from scheduler.api.artifacts import artifacts_router
from scheduler.api.boards import boards_router
from scheduler.api.body_limits import BodyLimits
from scheduler.api.campaign_steering import steering_router
from scheduler.api.campaigns import campaigns_router
from scheduler.api.change_record import ChangeRecord
from scheduler.api.description import describe
from scheduler.api.description_page import POLICY, description_page
from scheduler.api.failed_logins import FailedLogins
from scheduler.api.farm_facts import facts_router, probes_router
from scheduler.api.gates import gates_router
from scheduler.api.planners import Planners
from scheduler.api.problem_details import handle_problems
from scheduler.api.progress_events import StreamEnded, events_router, no_content
from scheduler.api.recordings import recordings_router
from scheduler.api.runs import runs_router
from scheduler.api.systems import systems_router
from scheduler.api.token_uses import TokenUses
from scheduler.api.tokens import tokens_router
from scheduler.api.workers import workers_router
from scheduler.farm_access.local_farm import LocalFarm


def build_api(farm: LocalFarm, *, open_reading: bool) -> FastAPI:
    """The farm over HTTP; everything but the probes lies below `/api`.

    `open_reading`: as long as the farm never had a token, anybody may read; for loopback only.
    """
    uses = TokenUses(farm.database)
    access = Access(farm.database, farm.clock, uses, FailedLogins(), open_reading)
    app = FastAPI(
        title="gradefarm",
        version=version("gradefarm"),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lambda _: _writing(uses),
    )
    handle_problems(app)
    tell_allowed_methods(app)
    app.add_exception_handler(StreamEnded, no_content)
    app.add_middleware(BodyLimits)
    app.add_middleware(AccessGate, access=access)
    _add_routes(app, farm, access)
    _add_description(app)
    return app


@contextlib.asynccontextmanager
async def _writing(uses: TokenUses) -> AsyncGenerator[None]:
    writer = asyncio.create_task(uses.write_for_ever())
    yield
    writer.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await writer
    await anyio.to_thread.run_sync(uses.write)


def _add_routes(app: FastAPI, farm: LocalFarm, access: Access) -> None:
    record, planners = ChangeRecord(farm), Planners(farm)
    routers = (
        facts_router(farm),
        campaigns_router(farm),
        steering_router(farm, record, planners),
        events_router(farm, access),
        runs_router(farm),
        recordings_router(farm),
        boards_router(farm),
        gates_router(farm, record, planners),
        workers_router(farm, record),
        systems_router(farm, record),
        artifacts_router(farm),
        tokens_router(farm, record),
    )
    for router in routers:
        app.include_router(router, prefix="/api")
    app.include_router(probes_router(farm))


def _add_description(app: FastAPI) -> None:
    @app.get("/api/openapi.json", include_in_schema=False)
    def as_json() -> JSONResponse:
        return JSONResponse(describe(app))

    @app.get("/api/docs", include_in_schema=False)
    def as_page() -> HTMLResponse:
        headers = {"Content-Security-Policy": POLICY}
        return HTMLResponse(description_page(describe(app)), headers=headers)
