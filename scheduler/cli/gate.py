"""`gradefarm gate`: prove verifiers, and show the proofs."""

import shutil
import sys
from typing import Annotated

import typer

from models.schemas.gate import REFERENCE_REPEATS
from scheduler.cli.farm_access import FarmAccess, JsonFlag, open_farm
from scheduler.cli.farm_life import living_workers, serving_tools
from scheduler.cli.gate_reading import (
    LanguageOption,
    TaskOption,
    diff,
    export,
    matrix,
    print_proofs,
    show,
)
from scheduler.cli.proof_text import cost_lines, flip_lines, plan_lines
from scheduler.cli.proving import ProofPlan, plan_proofs, prove, split_by_service
from scheduler.gate_campaigns import proofs_of
from scheduler.gate_queries import GateQueries, GateQuery

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Prove that verifiers measure what they should, and show the proofs.\n\n"
    "A verifier is proved for one task in one language when its reference passes every check, the "
    "untouched starter fails as declared, every planted fault is caught, and no program that "
    "solves nothing passes.",
)

NOT_GREEN = 4
MOST_MATRICES = 8
"""Of more verifiers, only the lines below the matrices are printed, and the reasons of red ones."""


@app.command()
def run(
    *,
    task: TaskOption = None,
    language: LanguageOption = None,
    repeats: Annotated[
        int, typer.Option(min=1, max=2_000, help="How often the reference is graded.")
    ] = REFERENCE_REPEATS,
    force: Annotated[bool, typer.Option("--force", help="Also what is proved already.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Send the subjects of verifiers through the farm and decide. Exit code 4 unless all are green.

    \b
      gradefarm gate run
      gradefarm gate run --task circuit-breaker --language go --force
    """
    farm = open_farm()
    chosen = GateQueries(farm.database, farm.catalog).variants(GateQuery(task, language))
    served, unserved = split_by_service(farm, chosen)
    if unserved:
        _say(f"no worker has the toolchain for: {', '.join(unserved)}; left out", aside=as_json)
    plan = plan_proofs(farm, served, repeats=repeats, force=force)
    if plan.to_prove:
        _prove(farm, plan, aside=as_json)
    serving = serving_tools(living_workers(farm))
    proofs = proofs_of(farm.database, farm.catalog, chosen, serving)
    if as_json or plan.to_prove or not all(proof.is_green for proof in proofs):
        print_proofs(proofs, as_json=as_json, matrices=len(proofs) <= MOST_MATRICES)
    elif proofs:
        print(
            f"already proved: all {len(proofs)} verifiers, nothing was run; "
            "`gradefarm gate show` shows the proofs, --force runs them again"
        )
    if not all(proof.is_green for proof in proofs):
        raise typer.Exit(NOT_GREEN)


def _prove(farm: FarmAccess, plan: ProofPlan, *, aside: bool) -> None:
    """Run the gates of a plan, saying before why and after at what cost."""
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    _say(*plan_lines(plan.to_prove, len(plan.known), width), aside=aside)
    began = farm.clock.monotonic()
    prove(farm, plan, aside=aside)
    wall_s = farm.clock.monotonic() - began
    variants = [(proof.task, proof.language) for proof in plan.to_prove]
    decided = [
        proof.decision
        for proof in proofs_of(farm.database, farm.catalog, variants)
        if proof.decision is not None
    ]
    held = len(plan.known) - len(plan.to_prove)
    _say(*cost_lines(decided, wall_s, held), *flip_lines(decided), "", aside=aside)


def _say(*lines: str, aside: bool) -> None:
    """Beside the result, where that is JSON."""
    print("\n".join(lines), file=sys.stderr if aside else sys.stdout, flush=True)


app.command()(show)
app.command()(matrix)
app.command()(diff)
app.command()(export)
