"""Text that keeps to its columns, whatever names it is given."""

import textwrap

_ELLIPSIS = "…"
_ASCII = str.maketrans(
    {
        "━": "=",
        "─": "-",
        "●": "o",
        "├": "|",
        "┤": "|",
        "┿": "+",
        "·": "-",
        "×": "x",
        "…": "~",
        "⚙": "#",
    }
)


def plain_ascii(text: str) -> str:
    """`text` in ASCII, each character replaced by exactly one, so that columns stay aligned."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def fitted(text: str, columns: int) -> str:
    """`text` cut to at most `columns` characters, the cut marked."""
    return text if len(text) <= columns else text[: columns - 1] + _ELLIPSIS


def wrapped(text: str, width: int, indent: str, *, first: str = "") -> list[str]:
    """Lines of at most `width` characters; the first begins with `first`, others `indent`."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False
    )
