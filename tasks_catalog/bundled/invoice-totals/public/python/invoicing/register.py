"""Carries out commands."""

from invoicing.decimals import format_hundredths, parse_hundredths, parse_whole
from invoicing.document import Document, percent_of

REFUSED = ["refused bad_command"]


class Register:
    """Keeps documents; answers one command line after the other."""

    def __init__(self):
        self._documents = {}

    def answer(self, line):
        """Return the lines of the answer."""
        words = line.split(" ")
        if len(words) < 2:
            return REFUSED
        if words[0] == "currency":
            return ["ok"]
        if words[0] == "open" and len(words) > 2:
            self._documents[words[1]] = Document(words[1], words[2])
            return ["ok"]
        document = self._documents.get(words[1])
        if document is None:
            return REFUSED
        match words[0], len(words):
            case "line", 6:
                return self._line(document, *words[2:])
            case "discount", 5:
                return self._discount(document, *words[2:])
            case "rebate", 4:
                return self._rebate(document, *words[2:])
            case "lines", _:
                return self._lines(document)
            case "total", _:
                return self._total(document)
        return REFUSED

    def _line(self, document, name, quantity, price, rate):
        quantity, price, rate = parse_whole(quantity), parse_hundredths(price), parse_whole(rate)
        if quantity is None or price is None or rate is None:
            return REFUSED
        return [f"ok {format_hundredths(document.add_line(name, quantity, price, rate))}"]

    def _discount(self, document, name, kind, value):
        line = document.find(name)
        cents, percent = parse_hundredths(value), parse_whole(value)
        if line is None or cents is None or percent is None:
            return REFUSED
        line.amount -= percent_of(line.amount, percent) if kind == "percent" else cents
        return [f"ok {format_hundredths(line.amount)}"]

    def _rebate(self, document, kind, value):
        cents, percent = parse_hundredths(value), parse_whole(value)
        if cents is None or percent is None:
            return REFUSED
        if kind == "percent":
            return [f"ok {format_hundredths(document.rebate_percent(percent))}"]
        return [f"ok {format_hundredths(document.rebate_amount(cents))}"]

    def _lines(self, document):
        answer = [f"lines {len(document.lines)}"]
        for line in document.lines:
            amount, rebate = format_hundredths(line.amount), format_hundredths(line.rebate)
            net = format_hundredths(line.net)
            answer.append(
                f"item {line.name} rate {line.rate} amount {amount} rebate {rebate} net {net}"
            )
        return answer

    def _total(self, document):
        net = sum(line.net for line in document.lines)
        tax = sum(line.tax for line in document.lines)
        answer = [
            f"total {document.name} {document.code} net {format_hundredths(net)}"
            f" tax {format_hundredths(tax)} gross {format_hundredths(net + tax)}"
        ]
        for rate in document.rates():
            lines = [line for line in document.lines if line.rate == rate]
            net = format_hundredths(sum(line.net for line in lines))
            tax = format_hundredths(sum(line.tax for line in lines))
            answer.append(f"rate {rate} net {net} tax {tax}")
        return answer
