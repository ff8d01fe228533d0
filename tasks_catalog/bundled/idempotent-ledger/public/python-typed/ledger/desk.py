"""Answers commands."""

from ledger.book import Book, Posting

REFUSED = ["refused bad_command"]
LENGTHS = {"account": 4, "hold": 7, "capture": 7, "release": 5, "reverse": 5, "balance": 3, "statement": 4}
LONGEST_NUMBER = 15


class Desk:
    """Keeps the book and the answers to keys; answers one command line after the other."""

    def __init__(self) -> None:
        self._book = Book()
        self._answers: dict[str, list[str]] = {}

    def answer(self, line: str) -> list[str]:
        """Return the lines of the answer."""
        words = line.split(" ")
        command, length = words[0], len(words)
        if command == "post":
            if length < 7 or length % 3 != 1:
                return REFUSED
        elif LENGTHS.get(command) != length:
            return REFUSED
        if command == "account":
            return self._account(words[1], words[3])
        if command == "balance":
            return self._balance(words[2])
        if command == "statement":
            return self._statement(words[1], words[2], words[3])
        key = words[3]
        if key not in self._answers:
            self._answers[key] = self._carry_out(command, words[1], words[4:])
        return self._answers[key]

    def _account(self, name: str, overdraft: str) -> list[str]:
        if not _is_number(overdraft):
            return REFUSED
        self._book.open(name, int(overdraft))
        return ["ok"]

    def _balance(self, name: str) -> list[str]:
        account = self._book.accounts.get(name)
        if account is None:
            return REFUSED
        return [f"balance {account.balance} held {account.held} available {account.available}"]

    def _statement(self, start: str, end: str, name: str) -> list[str]:
        account = self._book.accounts.get(name)
        if account is None or not _is_number(start) or not _is_number(end):
            return REFUSED
        entries = [entry for entry in account.entries if int(start) <= entry.at <= int(end)]
        answer = [f"statement {len(entries)} opening 0 closing {account.balance}"]
        for entry in entries:
            answer.append(f"entry {entry.at} {entry.transaction} {entry.other} {entry.amount} {entry.balance}")
        return answer

    def _carry_out(self, command: str, at: str, words: list[str]) -> list[str]:
        if not _is_number(at):
            return REFUSED
        match command:
            case "post":
                return self._post(int(at), words)
            case "hold":
                return self._hold(words[0], words[1])
            case "capture":
                return self._capture(int(at), words[0], words[1], words[2])
            case "release":
                if not self._book.has_hold(words[0]):
                    return REFUSED
                return _answer(self._book.release(words[0]))
        if not self._book.has_transaction(words[0]):
            return REFUSED
        return _answer(self._book.reverse(int(at), words[0]))

    def _post(self, at: int, words: list[str]) -> list[str]:
        postings: list[Posting] = []
        for payer, payee, amount in zip(words[0::3], words[1::3], words[2::3]):
            if not self._has(payer) or not self._has(payee) or not _is_number(amount):
                return REFUSED
            postings.append((payer, payee, int(amount)))
        return _answer(self._book.post(at, postings))

    def _hold(self, name: str, amount: str) -> list[str]:
        if not self._has(name) or not _is_number(amount):
            return REFUSED
        return _answer(self._book.hold(name, int(amount)))

    def _capture(self, at: int, hold: str, payee: str, amount: str) -> list[str]:
        if not self._book.has_hold(hold) or not self._has(payee) or not _is_number(amount):
            return REFUSED
        return _answer(self._book.capture(at, hold, payee, int(amount)))

    def _has(self, name: str) -> bool:
        return name in self._book.accounts


def _answer(name: str | None) -> list[str]:
    return ["declined insufficient_funds"] if name is None else [f"ok {name}"]


def _is_number(word: str) -> bool:
    return 1 <= len(word) <= LONGEST_NUMBER and all("0" <= character <= "9" for character in word)
