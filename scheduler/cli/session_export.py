"""Sessions in the formats of other tools, for the commands that export."""

import json
import sys
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from models.errors import Refused
from models.interchange.atif_writing import write_atif
from models.interchange.otel_spans import write_spans
from models.interchange.told_session import ToldSession


class SessionFormat(StrEnum):
    """The formats that are written."""

    ATIF = "atif"
    OTEL = "otel"


FormatOption = Annotated[SessionFormat, typer.Option("--format", help="Which format.")]
ContentFlag = Annotated[
    bool,
    typer.Option("--content", help="otel: also what was said, and what tools got and gave."),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", help="A file; else standard output.")
]


def export_session(
    session: ToldSession, chosen: SessionFormat, output: Path | None, *, content: bool
) -> None:
    """Write a session as a JSON document. Raises Refused where the file can't be written."""
    document = (
        write_atif(session)
        if chosen is SessionFormat.ATIF
        else write_spans(session, version=version("gradefarm"), content=content)
    )
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(
            f"{output} can't be written: {error.strerror}.",
            remedy="Name a file in a folder that you can write.",
        ) from error
    print(f"wrote {output}")
