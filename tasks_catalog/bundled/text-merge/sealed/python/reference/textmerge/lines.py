"""Lines with their endings, and when they are equal."""


def ending(line):
    """Return the ending of a line: empty for one that is unfinished."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def key(line, compare):
    """Return what is compared: two lines are equal if their keys are."""
    if compare == "exact":
        return line
    text = line.removesuffix(ending(line))
    if compare == "trailing":
        return text.rstrip(" \t")
    if compare == "all":
        return text.replace(" ", "").replace("\t", "")
    return text


def ending_of_markers(mine, theirs):
    for text in (mine, theirs):
        if text and ending(text[0]):
            return ending(text[0])
    return "\n"


def with_endings(lines, missing):
    """Return the lines; those before the last that have no ending get the missing one."""
    return [line if ending(line) else line + missing for line in lines[:-1]] + lines[-1:]
