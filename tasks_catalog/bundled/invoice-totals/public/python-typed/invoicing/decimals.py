"""Decimal numbers as whole hundredths: how they are read and written."""

LONGEST_WHOLE = 5


def parse_hundredths(word: str) -> int | None:
    """Return the hundredths of the number that a word is, or None."""
    whole, _, fraction = word.removeprefix("-").partition(".")
    if not _is_digits(whole) or len(whole) > LONGEST_WHOLE:
        return None
    if fraction and not _is_digits(fraction):
        return None
    units = int(whole) * 100 + int(fraction[:2].ljust(2, "0"))
    return -units if word.startswith("-") else units


def parse_whole(word: str) -> int | None:
    """Return the whole part of the number that a word is, or None."""
    units = parse_hundredths(word)
    if units is None:
        return None
    return -(-units // 100) if units < 0 else units // 100


def format_hundredths(units: int) -> str:
    sign = "-" if units < 0 else ""
    return f"{sign}{abs(units) // 100}.{abs(units) % 100:02}"


def _is_digits(word: str) -> bool:
    return word != "" and all("0" <= character <= "9" for character in word)
