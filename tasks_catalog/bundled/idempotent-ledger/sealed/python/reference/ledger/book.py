"""Accounts, transactions and holds. Every change is made whole or not at all."""

from dataclasses import dataclass

from ledger.account import Account, Hold
from ledger.outcome import Declined, Refused
from ledger.request import LARGEST


@dataclass
class Transaction:
    """Postings are (payer, payee, amount), with the names of accounts."""

    name: str
    postings: list
    is_reversal: bool
    is_reversed: bool = False


class Book:
    """Carries out what is not a matter of keys or of the clock."""

    def __init__(self):
        self._accounts = {}
        self._transactions = {}
        self._holds = {}

    def open(self, name, currency, overdraft):
        if name in self._accounts:
            raise Refused("account_exists")
        self._accounts[name] = Account(name, currency, overdraft)

    def account(self, name):
        if name not in self._accounts:
            raise Refused("unknown_account")
        return self._accounts[name]

    def post(self, at, postings):
        """Book a batch and return the name of its transaction."""
        self._check_postings(postings)
        return self._book(at, postings)

    def hold(self, at, account, amount, until):
        """Set an amount aside and return the name of the hold."""
        if until <= at:
            raise Refused("until_passed")
        holder = self.account(account)
        if holder.balance - holder.held_at(at) - amount + holder.overdraft < 0:
            raise Declined("insufficient_funds")
        hold = Hold(f"H{len(self._holds) + 1}", holder, amount, at, until)
        self._holds[hold.name] = hold
        holder.holds.append(hold)
        return hold.name

    def capture(self, at, hold, payee, amount):
        """Book what was held, or a part of it, and return the name of the transaction."""
        captured = self._hold(hold)
        postings = [(captured.account.name, payee, amount)]
        self._check_postings(postings)
        if not captured.is_live(at):
            raise Declined("hold_ended")
        if amount > captured.amount:
            raise Declined("more_than_held")
        transaction = self._book(at, postings, freed={captured.account.name: captured.amount})
        captured.ends = at
        return transaction

    def release(self, at, hold):
        """End a hold and return its name."""
        released = self._hold(hold)
        if not released.is_live(at):
            raise Declined("hold_ended")
        released.ends = at
        return released.name

    def reverse(self, at, transaction):
        """Book the opposite of a transaction and return the name of the new one."""
        if transaction not in self._transactions:
            raise Refused("unknown_transaction")
        undone = self._transactions[transaction]
        if undone.is_reversal:
            raise Declined("not_reversible")
        if undone.is_reversed:
            raise Declined("already_reversed")
        postings = [(payee, payer, amount) for payer, payee, amount in reversed(undone.postings)]
        reversal = self._book(at, postings, is_reversal=True)
        undone.is_reversed = True
        return reversal

    def _hold(self, name):
        if name not in self._holds:
            raise Refused("unknown_hold")
        return self._holds[name]

    def _check_postings(self, postings):
        pairs = [(self.account(payer), self.account(payee)) for payer, payee, _ in postings]
        if any(payer is payee for payer, payee in pairs):
            raise Refused("same_account")
        if any(payer.currency != payee.currency for payer, payee in pairs):
            raise Refused("currency_mismatch")

    def _book(self, at, postings, freed=None, is_reversal=False):
        self._check_funds(at, postings, freed or {})
        name = f"T{len(self._transactions) + 1}"
        self._transactions[name] = Transaction(name, postings, is_reversal)
        for payer, payee, amount in postings:
            self._accounts[payer].book(at, name, payee, -amount)
            self._accounts[payee].book(at, name, payer, amount)
        return name

    def _check_funds(self, at, postings, freed):
        changes = {}
        for payer, payee, amount in postings:
            changes[payer] = changes.get(payer, 0) - amount
            changes[payee] = changes.get(payee, 0) + amount
        balances = {name: self._accounts[name].balance + change for name, change in changes.items()}
        for name, balance in balances.items():
            held = self._accounts[name].held_at(at) - freed.get(name, 0)
            if balance - held + self._accounts[name].overdraft < 0:
                raise Declined("insufficient_funds")
        if any(abs(balance) > LARGEST for balance in balances.values()):
            raise Declined("overflow")
