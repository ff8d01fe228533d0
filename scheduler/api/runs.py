"""`/api/runs`: single runs, their attempts, what the system did, what each check said."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from models.schemas.api_answers import Page
from models.schemas.api_token import TokenRole
from models.schemas.check_report import CheckReport
from models.schemas.run import RunState
from models.schemas.run_details import RunDetails
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import RunView
from models.schemas.transcript import Transcript
from models.verdicts import Verdict
from scheduler.api.access import Who
from scheduler.api.campaigns import campaign_id_of
from scheduler.api.cursors import cursor_at, key_in
from scheduler.api.pages import Cursor, Limit
from scheduler.api.problem_responses import BAD_CURSOR, NO_SUCH_CAMPAIGN, NO_SUCH_RUN
from scheduler.api.run_pages import page_of_runs
from scheduler.farm_access.hidden_output import without_hidden_output
from scheduler.farm_access.local_farm import LocalFarm

RunNumber = Annotated[int, Path(ge=1, lt=1 << 63, description="A run's number.", examples=[42])]
KIND = "runs"


def runs_router(farm: LocalFarm) -> APIRouter:
    """The operations below `/runs`."""
    router = APIRouter(prefix="/runs", tags=["runs"])
    _add_list(router, farm)
    _add_single(router, farm)
    return router


def _add_list(router: APIRouter, farm: LocalFarm) -> None:
    @router.get(
        "",
        summary="Runs as they were planned: by repeat, then cell",
        responses=BAD_CURSOR | NO_SUCH_CAMPAIGN,
    )
    def list_runs(  # noqa: PLR0913 - one parameter for each filter of the list
        *,
        campaign: Annotated[
            str | None, Query(max_length=100, description="Only of this one; `newest` as well.")
        ] = None,
        state: Annotated[RunState | None, Query(description="Only in this state.")] = None,
        verdict: Annotated[Verdict | None, Query(description="Only with this verdict.")] = None,
        system: Annotated[
            str | None, Query(max_length=100, description="Only of this system, by name.")
        ] = None,
        task: Annotated[str | None, Query(max_length=100, description="Only on this task.")] = None,
        language: Annotated[
            str | None, Query(max_length=100, description="Only in this language.")
        ] = None,
        limit: Limit = 100,
        cursor: Cursor = None,
        after: Annotated[
            int, Query(ge=0, lt=1 << 63, description="Only behind this run, by its number.")
        ] = 0,
    ) -> Page[RunView]:
        meant = campaign and campaign_id_of(farm, campaign)
        wanted = RunFilter(meant, state, verdict, system, task, language)
        behind = max(after, key_in(cursor, KIND) or 0)
        found, following = page_of_runs(
            farm.database, wanted, limit=limit, after=behind, clock=farm.clock
        )
        return Page(
            items=tuple(found), next=None if following is None else cursor_at(KIND, following)
        )


def _add_single(router: APIRouter, farm: LocalFarm) -> None:
    @router.get("/{run}", summary="One run with every attempt that was made", responses=NO_SUCH_RUN)
    def one_run(run: RunNumber) -> RunDetails:
        return farm.runs.opened(run)

    @router.get(
        "/{run}/transcript", summary="What the system did, step by step", responses=NO_SUCH_RUN
    )
    def transcript(
        run: RunNumber,
        attempt: Annotated[
            int | None, Query(ge=1, le=1_000_000, description="The last that has one if left out.")
        ] = None,
    ) -> Transcript:
        return farm.runs.transcript(run, attempt)

    @router.get(
        "/{run}/checks",
        summary="What every check said, with the evidence that it ran",
        description="What hidden checks and the build printed, and how answers to hidden checks "
        "differ from what was expected, is left out below the role `admin`: `stdout`, "
        "`stdout_text`, `stderr`, `stderr_text` and `difference` are empty there.",
        responses=NO_SUCH_RUN,
    )
    def checks(run: RunNumber, who: Who) -> CheckReport:
        report = farm.runs.report(run)
        if who.role.allows(TokenRole.ADMIN):
            return report
        return without_hidden_output(farm.catalog, report)

    @router.get(
        "/{run}/expected",
        summary="What the failing checks expected: the answer key",
        responses=NO_SUCH_RUN,
    )
    def expected(run: RunNumber) -> dict[str, str]:
        return farm.outputs.expected(run)
