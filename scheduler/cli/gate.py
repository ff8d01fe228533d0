"""`gradefarm gate`: prove verifiers, and show the proofs."""

import shutil
from typing import Annotated

import typer

from models.schemas.gate import REFERENCE_REPEATS, GateColour
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.proving import chosen_variants, prove, split_by_service
from scheduler.cli.text_tables import columns, print_json
from scheduler.gate_campaigns import VariantProof, proofs_of
from scheduler.gates.matrix_text import matrix_lines

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Prove that verifiers measure what they should, and show the proofs.\n\n"
    "A verifier is proved for one task in one language when its reference passes every check, the "
    "untouched starter fails as declared, and every planted fault is caught.",
)

NOT_GREEN = 4

TaskOption = Annotated[str | None, typer.Option(help="Only this task.")]
LanguageOption = Annotated[str | None, typer.Option(help="Only this language.")]


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
    _print_proofs(proofs, as_json=as_json)
    if not all(proof.is_green for proof in proofs):
        raise typer.Exit(NOT_GREEN)


@app.command()
def show(
    *, task: TaskOption = None, language: LanguageOption = None, as_json: JsonFlag = False
) -> None:
    """The matrix of every verifier, subject by check, with all reasons of its decision.

    \b
      gradefarm gate show
      gradefarm gate show --task circuit-breaker --language python
    """
    farm = open_farm()
    chosen = chosen_variants(farm, task, language)
    proofs = proofs_of(farm.database, farm.catalog, chosen)
    _print_proofs(proofs, as_json=as_json)


def _print_proofs(proofs: list[VariantProof], *, as_json: bool) -> None:
    if as_json:
        print_json([_as_record(proof) for proof in proofs])
        return
    width = shutil.get_terminal_size((100, 24)).columns
    for proof in proofs:
        if proof.decision:
            print("\n".join(matrix_lines(proof.decision, max(60, width))))
            print()
    print(columns(("task", "language", "gate", "decided", "against it"), map(_line, proofs)))


def _line(proof: VariantProof) -> tuple[object, ...]:
    if proof.decision is None:
        return (proof.task, proof.language, "not run", "", "gradefarm gate run")
    blocking = sum(reason.blocks for reason in proof.decision.reasons)
    against = f"{blocking} reasons" if blocking else ""
    colour = proof.decision.colour.value
    return (proof.task, proof.language, colour, proof.decision.decided_at, against)


def _as_record(proof: VariantProof) -> dict[str, object]:
    colour = proof.decision.colour if proof.decision else None
    return {
        "task": proof.task,
        "language": proof.language,
        "universe": proof.universe,
        "green": colour is GateColour.GREEN,
        "decision": proof.decision,
    }
