"""Answers commands: the clock, the keys, and the words of the answers."""

from ledger.account import Account
from ledger.book import Book
from ledger.keys import Keys
from ledger.outcome import Declined, Refused
from ledger.request import Request, parse


class Desk:
    """Answers one command line after the other."""

    def __init__(self) -> None:
        self._book = Book()
        self._keys = Keys()
        self._clock = 0

    def answer(self, line: str) -> list[str]:
        """Return the lines of the answer."""
        try:
            request = parse(line)
            if request.is_keyed:
                return [self._keyed(request)]
            return self._plain(request)
        except Refused as refusal:
            return [f"refused {refusal.reason}"]

    def _keyed(self, request: Request) -> str:
        at, client, key = request.numbers["at"], request.names["client"], request.names["key"]
        if at < self._clock:
            raise Refused("time_backwards")
        answer = self._keys.recall(client, key, at, request.content)
        if answer is None:
            answer = self._carry_out(request, at)
            self._keys.remember(client, key, at, request.content, answer)
        # only now: nothing above has been refused
        self._clock = at
        return answer

    def _carry_out(self, request: Request, at: int) -> str:
        try:
            return f"ok {self._apply(request, at)}"
        except Declined as declined:
            return f"declined {declined.reason}"

    def _apply(self, request: Request, at: int) -> str:
        names, numbers = request.names, request.numbers
        match request.command:
            case "post":
                return self._book.post(at, request.postings)
            case "hold":
                return self._book.hold(at, names["account"], numbers["amount"], numbers["until"])
            case "capture":
                return self._book.capture(at, names["hold"], names["payee"], numbers["amount"])
            case "release":
                return self._book.release(at, names["hold"])
        return self._book.reverse(at, names["transaction"])

    def _plain(self, request: Request) -> list[str]:
        name, numbers = request.names["account"], request.numbers
        match request.command:
            case "account":
                self._book.open(name, request.names["currency"], numbers["overdraft"])
                return ["ok"]
            case "balance":
                return [_balance(self._book.account(name), numbers["at"])]
        return _statement(self._book.account(name), numbers["start"], numbers["end"])


def _balance(account: Account, at: int) -> str:
    balance, held = account.balance_at(at), account.held_at(at)
    return f"balance {balance} held {held} available {balance - held + account.overdraft}"


def _statement(account: Account, start: int, end: int) -> list[str]:
    entries = [entry for entry in account.entries if start <= entry.at < end]
    opening = entries[0].balance - entries[0].amount if entries else account.balance_at(start - 1)
    closing = entries[-1].balance if entries else opening
    return [
        f"statement {len(entries)} opening {opening} closing {closing}",
        *(
            f"entry {entry.at} {entry.transaction} {entry.other} {entry.amount} {entry.balance}"
            for entry in entries
        ),
    ]
