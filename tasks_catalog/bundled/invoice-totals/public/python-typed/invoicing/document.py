"""One document: its lines, its rebate and what they come to. Amounts are cents."""

from dataclasses import dataclass


@dataclass
class Line:
    name: str
    rate: int
    amount: int
    rebate: int = 0

    @property
    def net(self) -> int:
        return self.amount - self.rebate

    @property
    def tax(self) -> int:
        return percent_of(self.net, self.rate)


class Document:
    """Lines in the order in which they were added."""

    def __init__(self, name: str, code: str) -> None:
        self.name = name
        self.code = code
        self.lines: list[Line] = []

    def add_line(self, name: str, quantity: int, price: int, rate: int) -> int:
        """Add a line and return its amount."""
        line = Line(name, rate, quantity * price)
        self.lines.append(line)
        return line.amount

    def find(self, name: str) -> Line | None:
        """Return the line of that name, or None."""
        for line in self.lines:
            if line.name == name:
                return line
        return None

    def rebate_percent(self, percent: int) -> int:
        """Lower all lines and return the rebate."""
        for line in self.lines:
            line.rebate = percent_of(line.amount, percent)
        return sum(line.rebate for line in self.lines)

    def rebate_amount(self, rebate: int) -> int:
        """Lower the first line and return the rebate."""
        for line in self.lines[:1]:
            line.rebate = rebate
        return rebate

    def rates(self) -> list[int]:
        """Return the rates of the lines, each once."""
        rates: list[int] = []
        for line in self.lines:
            if line.rate not in rates:
                rates.append(line.rate)
        return rates


def percent_of(units: int, percent: int) -> int:
    # rounded half up: // goes down, also below zero
    return (units * percent + 50) // 100
