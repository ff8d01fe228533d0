"""A campaign of the farm's own agent in loop mode, through the gateway, against a local model
server that behaves as planted in each run: 2 tasks in 4 languages, 8 repeats. Every verdict, void,
stop reason, fate, token and cost is held against what was planted; `as planted` counts the runs in
which all of them are equal. In the middle the provider is away for everybody for a minute. A reply
that broke off is charged what was reserved for it, since nobody tells what it used.
"""

import shutil
import tempfile
from collections import Counter
from pathlib import Path

from models.schemas.budget import Resource, amount_text
from tests.acceptance.farm_process import LANGUAGES, farm_home
from tests.benchmarks.planted_campaign import (
    Held,
    Size,
    chosen_languages,
    hold_against,
    planted_farm,
    run_campaign,
    settings_of,
)
from tests.fakes.planted_chat import Plant

WHOLE = Size(
    tasks=("circuit-breaker", "text-merge"),
    languages=("go", "javascript", "python", "python-typed"),
    repeats=len(Plant),
    outage_s=60,
    patience_s=75,
    away=2,
)


def measure(size: Size = WHOLE) -> tuple[str, bool]:
    """The table, and whether everything is as planted."""
    folder = Path(tempfile.mkdtemp(prefix="gradefarm-chat-", dir="/var/tmp"))
    try:
        with farm_home(folder) as home:
            chosen_languages(home, size.languages, LANGUAGES)
            with planted_farm(home, size) as (server, planted):
                campaign = run_campaign(home, size, patience_s=7_200)
                held = hold_against(settings_of(home), campaign, server, planted)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return _table(held, size), not held.differences


def _table(held: Held, size: Size) -> str:
    wrong = {one.split(" ", 2)[1] for one in held.differences if one.startswith("run ")}
    lines = ["| planted | runs | ended as | as planted |", "| --- | --- | --- | --- |"]
    for plant in Plant:
        runs = [run for run, its in zip(held.runs, held.plants, strict=True) if its == plant]
        ended = Counter(
            run.void_category.value
            if run.void_category
            else f"{run.verdict} by {run.stop_reason}"
            + (", undelivered" if run.undelivered else "")
            for run in runs
        )
        how = "; ".join(f"{count} {what}" for what, count in ended.items())
        right = sum(1 for run in runs if str(run.id) not in wrong)
        lines.append(f"| {plant.value} | {len(runs)} | {how} | {right} |")
    statuses = ", ".join(f"{count} × {status}" for status, count in sorted(held.statuses.items()))
    lines += [
        "",
        f"{held.requests} requests to the provider ({statuses}), {held.replies} replies, "
        f"{amount_text(Resource.TOKENS, held.tokens)}, "
        f"{amount_text(Resource.COST, held.cost_microusd)} charged to the campaign's budget; "
        f"{held.waited_s:.0f} s waited for the provider in runs that counted, "
        f"in an outage of {size.outage_s:g} s.",
        "",
        f"Differences: {len(held.differences) or 'none'}.",
        *(f"- {one}" for one in held.differences),
    ]
    return "\n".join(lines)
