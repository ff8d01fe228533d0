"""Accounts, transactions and holds."""

from collections.abc import Sequence
from dataclasses import dataclass, field

Posting = tuple[str, str, int]
"""Payer, payee, amount."""


@dataclass
class Entry:
    at: int
    transaction: str
    other: str
    amount: int
    balance: int


@dataclass
class Account:
    overdraft: int
    balance: int = 0
    held: int = 0
    entries: list[Entry] = field(default_factory=list)

    @property
    def available(self) -> int:
        return self.balance - self.held + self.overdraft

    def book(self, at: int, transaction: str, other: str, amount: int) -> None:
        self.balance += amount
        self.entries.append(Entry(at, transaction, other, amount, self.balance))


@dataclass
class Hold:
    account: str
    amount: int


class Book:
    """Carries out postings, holds and reversals; None means that the money is not there."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self._transactions: dict[str, Sequence[Posting]] = {}
        self._holds: dict[str, Hold] = {}

    def open(self, name: str, overdraft: int) -> None:
        self.accounts[name] = Account(overdraft)

    def post(self, at: int, postings: Sequence[Posting]) -> str | None:
        """Book the postings and return the name of the transaction."""
        name = f"T{len(self._transactions) + 1}"
        for payer, payee, amount in postings:
            if self.accounts[payer].available < amount:
                return None
            self._move(at, name, payer, payee, amount)
        self._transactions[name] = postings
        return name

    def hold(self, account: str, amount: int) -> str | None:
        """Set an amount aside and return the name of the hold."""
        if self.accounts[account].available < amount:
            return None
        name = f"H{len(self._holds) + 1}"
        self._holds[name] = Hold(account, amount)
        self.accounts[account].held += amount
        return name

    def has_hold(self, name: str) -> bool:
        return name in self._holds

    def capture(self, at: int, name: str, payee: str, amount: int) -> str | None:
        """Book what was held and return the name of the transaction."""
        hold = self._holds[name]
        if hold.amount < amount:
            return None
        hold.amount -= amount
        self.accounts[hold.account].held -= amount
        return self.post(at, [(hold.account, payee, amount)])

    def release(self, name: str) -> str:
        """Free what is still held and return the name of the hold."""
        hold = self._holds[name]
        self.accounts[hold.account].held -= hold.amount
        hold.amount = 0
        return name

    def has_transaction(self, name: str) -> bool:
        return name in self._transactions

    def reverse(self, at: int, name: str) -> str | None:
        """Book the opposite of a transaction and return the name of the new one."""
        return self.post(at, [(payee, payer, amount) for payer, payee, amount in self._transactions[name]])

    def _move(self, at: int, name: str, payer: str, payee: str, amount: int) -> None:
        self.accounts[payer].book(at, name, payee, -amount)
        self.accounts[payee].book(at, name, payer, amount)
