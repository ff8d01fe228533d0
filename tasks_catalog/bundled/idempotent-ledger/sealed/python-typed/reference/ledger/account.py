"""One account: what was booked on it and what is held of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One posting as this account sees it; `amount` is less than zero if it pays."""

    at: int
    transaction: str
    other: str
    amount: int
    balance: int


@dataclass
class Hold:
    """`ends` is the instant from which on it is not live any more."""

    name: str
    account: "Account"
    amount: int
    made: int
    ends: int

    def is_live(self, at: int) -> bool:
        return self.made <= at < self.ends


class Account:
    """Entries stand in the order of booking, which is also the order of their instants."""

    def __init__(self, name: str, currency: str, overdraft: int) -> None:
        self.name = name
        self.currency = currency
        self.overdraft = overdraft
        self.entries: list[Entry] = []
        self.holds: list[Hold] = []

    @property
    def balance(self) -> int:
        return self.entries[-1].balance if self.entries else 0

    def balance_at(self, at: int) -> int:
        """Return the balance after all that was booked at this instant or before."""
        return next((entry.balance for entry in reversed(self.entries) if entry.at <= at), 0)

    def held_at(self, at: int) -> int:
        return sum(hold.amount for hold in self.holds if hold.is_live(at))

    def book(self, at: int, transaction: str, other: str, amount: int) -> None:
        balance = self.balance + amount
        self.entries.append(Entry(at, transaction, other, amount, balance))
