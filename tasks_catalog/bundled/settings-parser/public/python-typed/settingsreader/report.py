"""Writes down what was read."""

from settingsreader.document import Document


def report(name: str, document: Document) -> str:
    if document.errors:
        lines = [f"document {name} failed {len(document.errors)}"]
        lines += [f"{error.line}:{error.column} {error.kind}" for error in document.errors]
    else:
        lines = [f"document {name} ok {len(document.settings)}"]
        lines += [f"{path} = {value}" for path, value in document.settings]
    return "".join(line + "\n" for line in lines)
