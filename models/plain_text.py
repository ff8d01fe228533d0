"""Text that a terminal can be given, whoever wrote it: nothing in it is obeyed."""

SPACES = str.maketrans(dict.fromkeys("\n\r\t\v\f\x85\u2028\u2029", " "))


def printable(text: str) -> str:
    """With escapes in place of what a terminal obeys and of half characters; line ends and tabs
    stay."""
    return "".join(one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in text)


def one_line(text: str) -> str:
    """As `printable`, with spaces in place of line ends and tabs."""
    return printable(text.translate(SPACES))
