"""Writes down what was read."""

MOST_ERRORS = 10


def report(name, document):
    if document.errors:
        lines = [f"document {name} failed {len(document.errors)}"]
        shown = sorted(document.errors)[:MOST_ERRORS]
        lines += [f"{line}:{column} {kind}" for line, column, kind in shown]
        if len(document.errors) > MOST_ERRORS:
            lines.append(f"and {len(document.errors) - MOST_ERRORS} more")
    else:
        lines = [f"document {name} ok {len(document.settings)}"]
        lines += [f"{path} = {value}" for path, value in document.settings]
    return "".join(line + "\n" for line in lines)
