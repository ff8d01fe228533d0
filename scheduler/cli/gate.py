"""`gradefarm gate`: prove verifiers, and show the proofs."""

from typing import Annotated

import typer

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
from scheduler.cli.proving import chosen_variants, prove, split_by_service
from scheduler.gate_campaigns import proofs_of

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Prove that verifiers measure what they should, and show the proofs.\n\n"
    "A verifier is proved for one task in one language when its reference passes every check, the "
    "untouched starter fails as declared, and every planted fault is caught.",
)

NOT_GREEN = 4


@app.command()
def run(
    *,
    task: TaskOption = None,
    language: LanguageOption = None,
    repeats: Annotated[
        int, typer.Option(min=1, max=100, help="How often the reference is graded.")
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
    chosen = chosen_variants(farm, task, language)
    served, unserved = split_by_service(farm, chosen)
    if unserved and not as_json:
        print(f"no worker has the toolchain for: {', '.join(unserved)}; left out")
    ran = prove(farm, served, repeats=repeats, force=force)
    proofs = proofs_of(farm.database, farm.catalog, chosen)
    if proofs and not ran and not as_json and all(proof.is_green for proof in proofs):
        print(
            f"already proved: all {len(proofs)} verifiers, nothing was run; "
            "`gradefarm gate show` shows the proofs, --force runs them again"
        )
        return
    print_proofs(proofs, as_json=as_json)
    if not all(proof.is_green for proof in proofs):
        raise typer.Exit(NOT_GREEN)


app.command()(show)
app.command()(matrix)
app.command()(diff)
app.command()(export)
