"""`gradefarm gate`: prove verifiers, and show the proofs."""

import shutil
import sys
from typing import Annotated

import typer

from models.clock import SystemClock
from models.schemas.gate import REFERENCE_REPEATS
from scheduler.cli.farm_access import JsonFlag, open_farm
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
from scheduler.cli.proving import follow_gates, settled_plan
from scheduler.farm_access.farm import Farm
from scheduler.gates.proofs import GateQuery, ProofPlan, VariantProof

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
    query = GateQuery(task, language)
    plan = settled_plan(lambda: farm.proving.plan(query, repeats=repeats, force=force))
    if plan.unserved:
        left_out = ", ".join(plan.unserved)
        _say(f"no worker has the toolchain for: {left_out}; left out", aside=as_json)
    if plan.to_prove:
        _prove(farm, query, plan, force=force, aside=as_json)
    proofs = farm.gates.proofs(query, as_served=True)
    if as_json or plan.to_prove or not all(proof.is_green for proof in proofs):
        print_proofs(proofs, as_json=as_json, matrices=len(proofs) <= MOST_MATRICES)
    elif proofs:
        print(
            f"already proved: all {len(proofs)} verifiers, nothing was run; "
            "`gradefarm gate show` shows the proofs, --force runs them again"
        )
    if not all(proof.is_green for proof in proofs):
        raise typer.Exit(NOT_GREEN)


def _prove(farm: Farm, query: GateQuery, plan: ProofPlan, *, force: bool, aside: bool) -> None:
    """Run the gates of a plan, saying before why and after at what cost."""
    width = max(60, shutil.get_terminal_size((100, 24)).columns)
    _say(*plan_lines(plan.to_prove, len(plan.known), width), aside=aside)
    clock = SystemClock()
    began = clock.monotonic()
    follow_gates(farm, farm.proving.begin(query, repeats=plan.repeats, force=force), aside=aside)
    wall_s = clock.monotonic() - began
    proved = {_variant(proof) for proof in plan.to_prove}
    found = [proof for proof in farm.gates.proofs(query) if _variant(proof) in proved]
    decided = [proof.decision for proof in found if proof.decision is not None]
    held = len(plan.known) - len(plan.to_prove)
    _say(*cost_lines(decided, wall_s, held), *flip_lines(decided), "", aside=aside)


def _variant(proof: VariantProof) -> tuple[str, str]:
    return proof.task, proof.language


def _say(*lines: str, aside: bool) -> None:
    """Beside the result, where that is JSON."""
    print("\n".join(lines), file=sys.stderr if aside else sys.stdout, flush=True)


app.command()(show)
app.command()(matrix)
app.command()(diff)
app.command()(export)
