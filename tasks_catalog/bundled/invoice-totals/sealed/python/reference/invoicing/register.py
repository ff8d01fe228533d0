"""Carries out commands."""

from invoicing.decimals import format_decimal, format_shortest
from invoicing.document import Currency, Document, sum_of
from invoicing.refusal import Refused
from invoicing.request import FINEST, parse


class Register:
    """Keeps currencies and documents; answers one command line after the other."""

    def __init__(self):
        self._currencies = {}
        self._documents = {}
        self._commands = {
            "currency": self._currency,
            "open": self._open,
            "line": self._line,
            "discount": self._discount,
            "rebate": self._rebate,
            "lines": self._lines,
            "total": self._total,
        }

    def answer(self, line):
        """Return the lines of the answer."""
        try:
            command, fields = parse(line)
            return self._commands[command](**fields)
        except Refused as refusal:
            return [f"refused {refusal.reason}"]

    def _currency(self, code, digits):
        if code in self._currencies:
            raise Refused("currency_exists")
        self._currencies[code] = Currency(code, int(digits))
        return ["ok"]

    def _open(self, doc, code, rounding):
        if doc in self._documents:
            raise Refused("document_exists")
        if code not in self._currencies:
            raise Refused("unknown_currency")
        self._documents[doc] = Document(doc, self._currencies[code], rounding)
        return ["ok"]

    def _line(self, doc, line, quantity, price, rate):
        document = self._document(doc)
        amount = document.add_line(line, quantity, price, rate)
        return [f"ok {_amount(document, amount)}"]

    def _discount(self, doc, line, kind, value):
        document = self._document(doc)
        return [f"ok {_amount(document, document.discount(line, kind, value))}"]

    def _rebate(self, doc, kind, value):
        document = self._document(doc)
        return [f"ok {_amount(document, document.rebate(kind, value))}"]

    def _lines(self, doc):
        document = self._document(doc)
        answer = [f"lines {len(document.lines)}"]
        for line in document.lines:
            amount, rebate = _amount(document, line.amount), _amount(document, line.rebate)
            net = _amount(document, line.net)
            rate = format_shortest(line.rate, FINEST)
            answer.append(f"item {line.name} rate {rate} amount {amount} rebate {rebate} net {net}")
        return answer

    def _total(self, doc):
        document = self._document(doc)
        groups = document.groups()
        net, tax = sum_of(groups)
        answer = [
            f"total {document.name} {document.currency.code} net {_amount(document, net)}"
            f" tax {_amount(document, tax)} gross {_amount(document, net + tax)}"
        ]
        for group in groups:
            rate = format_shortest(group.rate, FINEST)
            net, tax = _amount(document, group.net), _amount(document, group.tax)
            answer.append(f"rate {rate} net {net} tax {tax}")
        return answer

    def _document(self, name):
        if name not in self._documents:
            raise Refused("unknown_document")
        return self._documents[name]


def _amount(document, units):
    return format_decimal(units, document.currency.digits)
