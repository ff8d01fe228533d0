"""Carries out commands."""

from invoicing.decimals import format_hundredths, parse_hundredths, parse_whole
from invoicing.document import Document, percent_of

REFUSED = ["refused bad_command"]


class Register:
    """Keeps documents; answers one command line after the other."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def answer(self, line: str) -> list[str]:
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

    def _line(
        self, document: Document, name: str, quantity: str, price: str, rate: str
    ) -> list[str]:
        count, cents, percent = parse_whole(quantity), parse_hundredths(price), parse_whole(rate)
        if count is None or cents is None or percent is None:
            return REFUSED
        return [f"ok {format_hundredths(document.add_line(name, count, cents, percent))}"]

    def _discount(self, document: Document, name: str, kind: str, value: str) -> list[str]:
        line = document.find(name)
        cents, percent = parse_hundredths(value), parse_whole(value)
        if line is None or cents is None or percent is None:
            return REFUSED
        line.amount -= percent_of(line.amount, percent) if kind == "percent" else cents
        return [f"ok {format_hundredths(line.amount)}"]

    def _rebate(self, document: Document, kind: str, value: str) -> list[str]:
        cents, percent = parse_hundredths(value), parse_whole(value)
        if cents is None or percent is None:
            return REFUSED
        if kind == "percent":
            return [f"ok {format_hundredths(document.rebate_percent(percent))}"]
        return [f"ok {format_hundredths(document.rebate_amount(cents))}"]

    def _lines(self, document: Document) -> list[str]:
        answer = [f"lines {len(document.lines)}"]
        for line in document.lines:
            amount, rebate = format_hundredths(line.amount), format_hundredths(line.rebate)
            net = format_hundredths(line.net)
            answer.append(
                f"item {line.name} rate {line.rate} amount {amount} rebate {rebate} net {net}"
            )
        return answer

    def _total(self, document: Document) -> list[str]:
        net = sum(line.net for line in document.lines)
        tax = sum(line.tax for line in document.lines)
        answer = [
            f"total {document.name} {document.code} net {format_hundredths(net)}"
            f" tax {format_hundredths(tax)} gross {format_hundredths(net + tax)}"
        ]
        for rate in document.rates():
            lines = [line for line in document.lines if line.rate == rate]
            group_net = format_hundredths(sum(line.net for line in lines))
            group_tax = format_hundredths(sum(line.tax for line in lines))
            answer.append(f"rate {rate} net {group_net} tax {group_tax}")
        return answer
