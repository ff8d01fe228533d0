"""Writes down what was read."""


def report(name, document):
    if document.errors:
        lines = [f"document {name} failed {len(document.errors)}"]
        lines += [f"{line}:{column} {kind}" for line, column, kind in document.errors]
    else:
        lines = [f"document {name} ok {len(document.settings)}"]
        lines += [f"{path} = {value}" for path, value in document.settings]
    return "".join(line + "\n" for line in lines)
