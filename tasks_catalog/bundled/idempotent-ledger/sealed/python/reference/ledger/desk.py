"""Answers commands: the clock, the keys, and the words of the answers."""

from ledger.book import Book
from ledger.keys import Keys
from ledger.outcome import Declined, Refused
from ledger.request import parse

KEY = ("client", "key")


class Desk:
    """Answers one command line after the other."""

    def __init__(self):
        self._book = Book()
        self._keys = Keys()
        self._clock = 0

    def answer(self, line):
        """Return the lines of the answer."""
        try:
            request = parse(line)
            if request.is_keyed:
                return [self._keyed(request)]
            return self._plain(request.command, request.fields)
        except Refused as refusal:
            return [f"refused {refusal.reason}"]

    def _keyed(self, request):
        at, client, key = (request.fields[name] for name in ("at", "client", "key"))
        if at < self._clock:
            raise Refused("time_backwards")
        answer = self._keys.recall(client, key, at, request.content)
        if answer is None:
            answer = self._carry_out(request)
            self._keys.remember(client, key, at, request.content, answer)
        # only now: nothing above has been refused
        self._clock = at
        return answer

    def _carry_out(self, request):
        fields = {name: request.fields[name] for name in request.fields if name not in KEY}
        try:
            match request.command:
                case "post":
                    return f"ok {self._book.post(fields['at'], request.postings)}"
                case "hold":
                    return f"ok {self._book.hold(**fields)}"
                case "capture":
                    return f"ok {self._book.capture(**fields)}"
                case "release":
                    return f"ok {self._book.release(**fields)}"
            return f"ok {self._book.reverse(**fields)}"
        except Declined as declined:
            return f"declined {declined.reason}"

    def _plain(self, command, fields):
        match command:
            case "account":
                self._book.open(fields["account"], fields["currency"], fields["overdraft"])
                return ["ok"]
            case "balance":
                return [_balance(self._book.account(fields["account"]), fields["at"])]
        return _statement(self._book.account(fields["account"]), fields["start"], fields["end"])


def _balance(account, at):
    balance, held = account.balance_at(at), account.held_at(at)
    return f"balance {balance} held {held} available {balance - held + account.overdraft}"


def _statement(account, start, end):
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
