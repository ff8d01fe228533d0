"""Decimal numbers as whole numbers: how they are read and written."""

import re
from dataclasses import dataclass

# [0-9], since \d takes the digits of every script
NUMBER = re.compile(r"(-?)([0-9]{1,12})(?:\.([0-9]{1,6}))?")


@dataclass(frozen=True)
class Decimal:
    """The number `digits` / 10 ** `places`, with as many places as were written."""

    digits: int
    places: int

    def scaled(self, places: int) -> int:
        """The number in units of 10 ** -places; `places` is at least its own."""
        return self.digits * power_of_ten(places - self.places)


def parse_decimal(word: str) -> Decimal | None:
    """Return the number that a word is, or None."""
    match = NUMBER.fullmatch(word)
    if match is None:
        return None
    sign, whole, fraction = match[1], match[2], match[3] or ""
    digits = int(whole + fraction)
    return Decimal(-digits if sign else digits, len(fraction))


def format_decimal(units: int, places: int) -> str:
    """Write units of 10 ** -places with exactly that many places."""
    digits = str(abs(units)).rjust(places + 1, "0")
    sign = "-" if units < 0 else ""
    if places == 0:
        return sign + digits
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def format_shortest(units: int, places: int) -> str:
    """Write units of 10 ** -places without needless zeros; `places` is at least 1."""
    return format_decimal(units, places).rstrip("0").rstrip(".")


def power_of_ten(exponent: int) -> int:
    """Return 10 ** exponent, which the type checker takes for Any if the exponent is a variable."""
    power: int = 10**exponent
    return power
