"""Writes down what was read."""

from settingsreader.document import Document

MOST_ERRORS = 10


def report(name: str, document: Document) -> str:
    if document.errors:
        lines = [f"document {name} failed {len(document.errors)}"]
        shown = sorted(document.errors)[:MOST_ERRORS]
        lines += [f"{error.line}:{error.column} {error.kind}" for error in shown]
        if len(document.errors) > MOST_ERRORS:
            lines.append(f"and {len(document.errors) - MOST_ERRORS} more")
    else:
        lines = [f"document {name} ok {len(document.settings)}"]
        lines += [f"{path} = {value}" for path, value in document.settings]
    return "".join(line + "\n" for line in lines)
