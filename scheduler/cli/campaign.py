"""`gradefarm campaign`: describe, start, watch and steer campaigns."""

import os
from pathlib import Path
from typing import Annotated

import typer

from models.clock import as_iso
from models.counted_nouns import counted
from models.errors import InputFault, InvalidInput, NotFound, Refused
from models.identifiers import is_slug
from models.plain_text import one_line
from models.schemas.campaign import AT_WORK, CampaignKind, CampaignState
from models.schemas.campaign_progress import CampaignView
from scheduler.activity.troubles import way_on
from scheduler.boards.reply_text import reply_facts
from scheduler.campaign_faults import parse_budget
from scheduler.campaign_files import read_campaign_file
from scheduler.campaign_template import campaign_template
from scheduler.cli.activity_text import activity_lines
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.progress_text import progress_line, spend_lines
from scheduler.cli.system_text import changed_limits
from scheduler.cli.text_tables import columns, print_json
from scheduler.cli.watching import CampaignWatch
from scheduler.farm_access.farm import Farm

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Describe, start, watch and steer campaigns. They go on while you are away.",
)

Chosen = Annotated[
    str | None,
    typer.Argument(metavar="[CAMPAIGN]", help="A campaign's id; without it, the newest."),
]
Running = Annotated[
    str | None,
    typer.Argument(metavar="[CAMPAIGN]", help="A campaign's id; without it, the newest at work."),
]
Paused = Annotated[
    str | None,
    typer.Argument(metavar="[CAMPAIGN]", help="A campaign's id; without it, the newest paused."),
]
Named = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="A campaign's id.")]
JsonLines = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line, for each look.")
]


@app.command()
def new(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("campaign.toml"),
    *,
    force: Annotated[bool, typer.Option("--force", help="Write over an existing file.")] = False,
) -> None:
    """Write a commented campaign file to edit.

    \b
      gradefarm campaign new                 writes campaign.toml
      gradefarm campaign new nightly.toml    writes a campaign called "nightly"
    """
    farm = open_farm()
    # Not Path.exists, which raises where a folder on the way can't be entered.
    if os.path.exists(path) and not force:  # noqa: PTH110
        raise Refused(f"{path} is there already.", remedy="Choose another name, or add --force.")
    name = path.stem.lower()
    if not is_slug(name):
        fault = InputFault("PATH", f"{name!r} can't be a name", "use a-z, 0-9 and inner hyphens")
        raise InvalidInput("the command line", [fault])
    variants = farm.catalogue.variants()
    if not variants:
        raise NotFound("the catalogue has no task.", remedy="Set GRADEFARM_CATALOG_PUBLIC.")
    try:
        path.write_text(campaign_template(name, variants), encoding="utf-8")
    except OSError as error:
        raise Refused(
            f"{path} can't be written: {error.strerror}.",
            remedy="Name a file in a folder that you can write.",
        ) from error
    print(f"wrote {path}. Edit it, then: gradefarm campaign start {path} --watch")


@app.command()
def start(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A campaign file.")],
    *,
    watch_it: Annotated[bool, typer.Option("--watch", help="Follow it until it ends.")] = False,
    unproven: Annotated[
        bool,
        typer.Option(
            "--unproven",
            help="Start although a verifier is not proved; marks the results as unpublishable.",
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Start the campaign that FILE describes. Refused while a verifier is not proved.

    \b
      gradefarm campaign start my.toml
      gradefarm campaign start my.toml --watch
      gradefarm campaign start my.toml --json | jq -r .id
    """
    farm = open_farm()
    spec = read_campaign_file(path, farm.catalogue.variants())
    limited = any(system.limits_anything for system in spec.systems)
    changes = changed_limits(spec, farm.systems.loads()) if limited else []
    campaign = farm.steering.start(spec, unproven=unproven)
    if as_json:
        print_json(campaign)
    else:
        _say_started(farm, campaign, watched=watch_it)
        for line in changes:
            print(f"  {line}")
    if watch_it:
        _follow(farm, campaign.id)


def _say_started(farm: Farm, campaign: CampaignView, *, watched: bool) -> None:
    print(f"started {campaign.id}: {counted(campaign.total, 'run')}")
    if hint := farm.workers.hint(()):
        print(f"  {hint}")
    if not watched:
        print(f"  follow it with: gradefarm campaign watch {campaign.id}")


@app.command()
def status(campaign: Chosen = None, *, as_json: JsonFlag = False) -> None:
    """How far a campaign is.

    \b
      gradefarm campaign status
      gradefarm campaign status demo-1 --json
    """
    told = open_farm().campaigns.status(campaign)
    if as_json:
        print_json(told)
        return
    found, progress = told.campaign, told.progress
    line = progress_line(progress, gate=found.kind is CampaignKind.GATE)
    print(f"{line}  {progress.state.value}")
    waiting = (
        f"  {progress.waiting} wait, {progress.agent_queued} queued and "
        f"{progress.agent_leased} at work in the agent stage; {progress.frozen} frozen, "
        f"{progress.grade_queued} queued and {progress.grade_leased} at work in the grade stage"
    )
    print(waiting)
    for line in spend_lines(progress):
        print(f"  {line}")
    for replies in told.replies:
        print(f"  {one_line(replies.system)}")
        for label, text in reply_facts(replies):
            print(f"    {label:<14} {text}")
    if told_state := _state_text(found):
        print(f"  {told_state}")
    if found.unproven:
        print("  UNPROVEN: started although a verifier was not proved")
    if progress.ended < progress.total and told.hint:
        print(f"  {told.hint}")


def _state_text(found: CampaignView) -> str:
    """Why it stands still; empty where it does not."""
    if found.problem:
        return f"PROBLEM: {one_line(found.problem)}"
    return way_on(found) if found.state is CampaignState.PAUSED else ""


@app.command()
def watch(campaign: Chosen = None, *, as_json: JsonLines = False) -> None:
    """Follow a campaign live until it ends. Ctrl-C stops the watching, not the campaign.

    \b
      gradefarm campaign watch
      gradefarm campaign watch demo-1
      gradefarm campaign watch --json | jq .progress.passed
    """
    farm = open_farm()
    named = farm.campaigns.find(campaign).id
    if as_json:
        CampaignWatch(farm, named, as_json=True).follow()
    else:
        _follow(farm, named)


@app.command()
def activity(campaign: Chosen = None, *, as_json: JsonFlag = False) -> None:
    """One look at a campaign: its pace, what was spoiled, what stands still, who does what.

    \b
      gradefarm campaign activity
      gradefarm campaign activity demo-1 --json | jq .troubles
    """
    farm = open_farm()
    seen = farm.activity.look((farm.campaigns.find(campaign).id,))
    if as_json:
        print_json(seen)
    else:
        print("\n".join(activity_lines(seen)))


def _follow(farm: Farm, campaign_id: str) -> None:
    try:
        ended = CampaignWatch(farm, campaign_id).follow()
    except KeyboardInterrupt:
        print(
            f"\nyou no longer watch {campaign_id}, and it goes on; come back with: "
            f"gradefarm campaign watch {campaign_id}"
        )
        raise
    if ended.state is CampaignState.PAUSED:
        print(f"{campaign_id} is paused; {way_on(farm.campaigns.find(campaign_id))}")
        return
    if ended.state is CampaignState.CANCELLED:
        print(f"{campaign_id} is cancelled; its results so far: gradefarm board {campaign_id}")
        return
    print(f"{campaign_id} is finished; read it with: gradefarm board {campaign_id}")


@app.command()
def pause(
    campaign: Running = None,
    *,
    now: Annotated[
        bool, typer.Option("--now", help="Interrupt what is at work; it is done again later.")
    ] = False,
) -> None:
    """Send no more work of a campaign. What is at work ends as usual, unless --now is given.

    \b
      gradefarm campaign pause               the newest that is at work
      gradefarm campaign pause nightly-3
      gradefarm campaign pause --now         and stop its sandboxes within seconds
    """
    farm = open_farm()
    named = farm.campaigns.find(campaign, AT_WORK).id
    paused = farm.steering.pause(named, now=now)
    if now:
        interrupted = counted(paused.interrupted, "run")
        print(f"interrupted: {interrupted}, of which no try is counted")
    if paused.left:
        print(
            f"{paused.left} are still at work, since their rows are being written; the scheduler "
            f"takes them back as soon as it can: gradefarm campaign status {named}"
        )
    print(f"{named} is paused; go on with: gradefarm campaign resume {named}")


@app.command()
def resume(campaign: Paused = None) -> None:
    """Go on with a paused campaign.

    \b
      gradefarm campaign resume              the newest that is paused
      gradefarm campaign resume nightly-3
    """
    farm = open_farm()
    named = farm.campaigns.find(campaign, (CampaignState.PAUSED,)).id
    # As quiet as to pause what is paused; one that is still being planned goes on as well.
    if farm.campaigns.find(named).state not in AT_WORK:
        farm.steering.resume(named)
    print(f"{named} goes on")


@app.command()
def cancel(campaign: Named) -> None:
    """End a campaign for good. Results that it has are kept.

    \b
      gradefarm campaign cancel nightly-3
    """
    open_farm().steering.cancel(campaign)
    print(f"{campaign} is cancelled; its results so far: gradefarm board {campaign}")


@app.command()
def budget(
    campaign: Named,
    *,
    cost_usd: Annotated[
        str | None, typer.Option("--cost-usd", metavar="USD", help="US dollars, to a millionth.")
    ] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", min=1, help="Tokens.")] = None,
    wall_s: Annotated[
        float | None, typer.Option("--wall-s", help="Seconds of all agents added up.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """What a campaign may use in all, and has used; with options, let it use so much.

    \b
      gradefarm campaign budget nightly-3
      gradefarm campaign budget nightly-3 --cost-usd 40
    """
    farm = open_farm()
    wanted = {"cost_usd": cost_usd, "tokens": tokens, "wall_s": wall_s}
    asked = parse_budget({name: value for name, value in wanted.items() if value is not None})
    if asked.totals():
        farm.steering.set_budget(campaign, asked)
    progress = farm.campaigns.status(campaign).progress
    if as_json:
        print_json(progress.spend)
        return
    print("\n".join(spend_lines(progress)) or f"{campaign} has no budget")
    if asked.totals() and progress.state is CampaignState.PAUSED:
        print(f"it is paused; go on with: gradefarm campaign resume {campaign}")


@app.command("list")
def list_them(
    *,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, newest first.")] = 20,
    as_json: JsonFlag = False,
) -> None:
    """The newest campaigns, gates included.

    \b
      gradefarm campaign list
      gradefarm campaign list --limit 100 --json
    """
    found = open_farm().campaigns.listed(limit)
    if as_json:
        print_json(found)
        return
    head = ("campaign", "kind", "state", "runs", "ended", "void", "started")
    rows = [
        (
            one.campaign.id,
            one.campaign.kind.value,
            one.campaign.state.value,
            one.campaign.total,
            one.progress.ended,
            one.progress.void,
            as_iso(one.campaign.created_at),
        )
        for one in found
    ]
    print(columns(head, rows))
