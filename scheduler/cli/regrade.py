"""`gradefarm regrade`: grade frozen snapshots again, and show what came out otherwise."""

from collections.abc import Iterator
from typing import Annotated

import typer

from models.errors import Refused
from models.identifiers import short_digest
from models.schemas.campaign import ENDED, CampaignState
from models.schemas.regrade import Regrade, RegradedRun
from scheduler.activity.troubles import way_on
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.text_tables import columns, print_json
from scheduler.cli.watching import CampaignWatch

app = typer.Typer(rich_markup_mode=None)


@app.command()
def regrade(
    campaign: Annotated[
        str | None,
        typer.Argument(metavar="[CAMPAIGN]", help="Whose snapshots; the newest if none."),
    ] = None,
    *,
    again: Annotated[
        bool, typer.Option("--again", help="Also where nothing changed, or it was done before.")
    ] = False,
    unproven: Annotated[
        bool, typer.Option("--unproven", help="Although a verifier is not proved; marks results.")
    ] = False,
    limit: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Runs that changed to show at most.")
    ] = 200,
    as_json: JsonFlag = False,
) -> None:
    """Grade the frozen snapshots of a campaign in the present universe. No agent runs.

    Makes a campaign of its own, beside which the old one stays as it was, and shows what came
    out otherwise, run by run. Asked once more, it goes on where it was, or shows what it found.

    \b
      gradefarm regrade nightly-3
      gradefarm regrade nightly-3 --json
    """
    farm = open_farm()
    named = farm.campaigns.find(campaign)
    regraded = farm.regrades.begin(named.regrades or named.id, again=again, unproven=unproven)
    state = farm.campaigns.find(regraded).state
    if state not in ENDED:
        seen = CampaignWatch(farm, regraded, aside=as_json).follow()
        if seen.state is CampaignState.PAUSED and seen.ended < seen.total:
            remedy = way_on(farm.campaigns.find(regraded))
            raise Refused(f"{regraded} is paused, and not all is graded again.", remedy=remedy)
    told = farm.regrades.result(regraded, limit)
    if as_json:
        print_json(told)
    else:
        print("\n".join(_lines(told, limit)))


def _lines(told: Regrade, limit: int) -> Iterator[str]:
    runs = sum(count for _, _, count in told.turned)
    yield f"{told.campaign_id} grades the {runs} snapshots of {told.source_id} again"
    for change in told.universes:
        before, after = map(short_digest, (change.before, change.after))
        same = "unchanged" if before == after else f"{before} -> {after}"
        yield f"  {change.task}/{change.language}: universe {same}"
    yield ""
    yield columns(("before", "after", "runs"), told.turned)
    yield ""
    if not told.changed:
        yield "Every run came out as before, check by check."
        return
    head = ("run", "was run", "what", "result", "checks that ended otherwise")
    yield columns(head, [_row(run) for run in told.changed])
    if len(told.changed) == limit:
        yield f"no more than {limit} are shown; --limit shows more"
    yield f"\nread it with: gradefarm board {told.campaign_id}; gradefarm runs checks RUN --output"


def _row(run: RegradedRun) -> tuple[object, ...]:
    result = run.after if run.before == run.after else f"{run.before} -> {run.after}"
    checks = ", ".join(
        f"{check} {before or 'not asked'} -> {after or 'not asked'}"
        for check, before, after in run.checks
    )
    return (run.run_id, run.source_run_id, run.label, result, checks)
