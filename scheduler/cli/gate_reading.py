"""The commands of `gradefarm gate` that show proofs: by subject, across languages, over time."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from models.counted_nouns import counted
from models.errors import Refused
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.text_tables import columns, print_json
from scheduler.farm_access.farm import ExportFormat
from scheduler.gates.decision_diff import diff_lines
from scheduler.gates.language_matrix import language_matrix_lines
from scheduler.gates.matrix_text import matrix_lines
from scheduler.gates.proofs import GateQuery, VariantProof, record_of

TaskOption = Annotated[str | None, typer.Option(help="Only this task.")]
LanguageOption = Annotated[str | None, typer.Option(help="Only this language.")]
FaultOption = Annotated[
    list[str] | None, typer.Option("--fault", help="Only this planted fault; repeat it for more.")
]
CheckOption = Annotated[
    list[str] | None, typer.Option("--check", help="Only this check; repeat it for more.")
]
NARROWEST, WIDEST = 60, 100


def show(
    *,
    task: TaskOption = None,
    language: LanguageOption = None,
    fault: FaultOption = None,
    check: CheckOption = None,
    as_json: JsonFlag = False,
) -> None:
    """The matrix of every verifier, subject by check, with all reasons of its decision.

    \b
      gradefarm gate show
      gradefarm gate show --task circuit-breaker --language python
      gradefarm gate show --fault booleans-pass-as-integers --check malformed-requests
    """
    query = GateQuery(task, language, tuple(fault or ()), tuple(check or ()))
    print_proofs(open_farm().gates.proofs(query), as_json=as_json)


def print_proofs(proofs: Sequence[VariantProof], *, as_json: bool, matrices: bool = True) -> None:
    """Every matrix, and one line for each verifier below them; or all as JSON.

    Without `matrices` only those that are not green.
    """
    if as_json:
        print_json([record_of(proof) for proof in proofs])
        return
    for proof in proofs:
        if proof.decision and (matrices or not proof.is_green):
            print("\n".join(matrix_lines(proof.decision, _width())))
            print()
    print(columns(("task", "language", "gate", "decided", "against it"), map(_line, proofs)))


def _line(proof: VariantProof) -> tuple[object, ...]:
    if proof.decision is None:
        return (proof.task, proof.language, "not run", "", "gradefarm gate run")
    blocking = sum(reason.blocks for reason in proof.decision.reasons)
    against = counted(blocking, "reason") if blocking else ""
    colour = proof.decision.colour.value
    return (proof.task, proof.language, colour, proof.decision.decided_at, against)


def matrix(
    *,
    task: TaskOption = None,
    language: LanguageOption = None,
    fault: FaultOption = None,
    check: CheckOption = None,
    as_json: JsonFlag = False,
) -> None:
    """All languages of a task in one matrix: where do they end alike, and where not?

    \b
      gradefarm gate matrix --task circuit-breaker
      gradefarm gate matrix --json
    """
    query = GateQuery(task, language, tuple(fault or ()), tuple(check or ()))
    matrices = open_farm().gates.matrices(query)
    if as_json:
        print_json(matrices)
        return
    for one in matrices:
        print("\n".join(language_matrix_lines(one, _width())) + "\n")
    agree = sum(one.agree for one in matrices)
    cells = sum(len(one.rows) * len(one.checks) * len(one.languages) for one in matrices)
    tasks = counted(len(matrices), "task")
    print(f"alike in all languages: {agree} of {tasks}; {counted(cells, 'cell')}")


def diff(
    before: Annotated[
        str | None, typer.Argument(metavar="[BEFORE]", help="First digits of a universe.")
    ] = None,
    after: Annotated[
        str | None, typer.Argument(metavar="[AFTER]", help="First digits of another one.")
    ] = None,
    *,
    task: TaskOption = None,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """What lies between two universes of a variant: contents, outcomes, reasons.

    \b
      gradefarm gate diff 340421e8692f 9c1fe2aa01b7
      gradefarm gate diff --task circuit-breaker --language go     the last two decided ones
    """
    gates = open_farm().gates
    if before and after:
        found = gates.difference(before, after)
    elif task and language and not before:
        found = gates.last_difference(task, language)
    else:
        raise Refused(
            "two universes are needed.",
            remedy="Name both, or one variant with --task and --language.",
        )
    if as_json:
        print_json(found)
    else:
        print("\n".join(diff_lines(found, _width())))


def export(
    *,
    report: Annotated[ExportFormat, typer.Option("--format", help="Which format.")],
    task: TaskOption = None,
    language: LanguageOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="A file; else standard output.")
    ] = None,
    with_sources: Annotated[
        bool,
        typer.Option(
            "--with-sources", help="stryker: the references' text too. It is the answer key."
        ),
    ] = False,
) -> None:
    """The decisions in the formats of other tools: Stryker's mutation schema, CTRF, JUnit XML.

    \b
      gradefarm gate export --format stryker --output mutation.json
      gradefarm gate export --format ctrf --task circuit-breaker
      gradefarm gate export --format junit --output gates.xml
    """
    query = GateQuery(task, language)
    _write(open_farm().gates.export(report, query, with_sources=with_sources), output)


def _write(content: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(content.decode())
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        raise Refused(
            f"{output} can't be written: {error.strerror}.",
            remedy="Name a file in a folder that you can write.",
        ) from error
    print(f"wrote {output}")


def _width() -> int:
    return max(NARROWEST, shutil.get_terminal_size((WIDEST, 24)).columns)
