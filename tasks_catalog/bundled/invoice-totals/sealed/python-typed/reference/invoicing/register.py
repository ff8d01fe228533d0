"""Carries out commands."""

from invoicing.decimals import format_decimal, format_shortest
from invoicing.document import Currency, Document, sum_of
from invoicing.refusal import Refused
from invoicing.request import FINEST, Request, parse
from invoicing.rounding import HALF_EVEN, HALF_UP


class Register:
    """Keeps currencies and documents; answers one command line after the other."""

    def __init__(self) -> None:
        self._currencies: dict[str, Currency] = {}
        self._documents: dict[str, Document] = {}

    def answer(self, line: str) -> list[str]:
        """Return the lines of the answer."""
        try:
            return self._carry_out(parse(line))
        except Refused as refusal:
            return [f"refused {refusal.reason}"]

    def _carry_out(self, request: Request) -> list[str]:
        match request.command:
            case "currency":
                return self._currency(request.words["code"], request.words["digits"])
            case "open":
                words = request.words
                return self._open(words["doc"], words["code"], words["rounding"])
        document = self._document(request.words["doc"])
        match request.command:
            case "lines":
                return _lines(document)
            case "total":
                return _total(document)
        return [f"ok {_amount(document, _change(document, request))}"]

    def _currency(self, code: str, digits: str) -> list[str]:
        if code in self._currencies:
            raise Refused("currency_exists")
        self._currencies[code] = Currency(code, int(digits))
        return ["ok"]

    def _open(self, doc: str, code: str, rounding: str) -> list[str]:
        if doc in self._documents:
            raise Refused("document_exists")
        if code not in self._currencies:
            raise Refused("unknown_currency")
        declared = HALF_UP if rounding == HALF_UP else HALF_EVEN
        self._documents[doc] = Document(doc, self._currencies[code], declared)
        return ["ok"]

    def _document(self, name: str) -> Document:
        if name not in self._documents:
            raise Refused("unknown_document")
        return self._documents[name]


def _change(document: Document, request: Request) -> int:
    words, numbers = request.words, request.numbers
    match request.command:
        case "line":
            return document.add_line(
                words["line"], numbers["quantity"], numbers["price"], numbers["rate"]
            )
        case "discount":
            return document.discount(words["line"], words["kind"], numbers["value"])
    return document.rebate(words["kind"], numbers["value"])


def _lines(document: Document) -> list[str]:
    answer = [f"lines {len(document.lines)}"]
    for line in document.lines:
        amount, rebate = _amount(document, line.amount), _amount(document, line.rebate)
        net = _amount(document, line.net)
        rate = format_shortest(line.rate, FINEST)
        answer.append(f"item {line.name} rate {rate} amount {amount} rebate {rebate} net {net}")
    return answer


def _total(document: Document) -> list[str]:
    groups = document.groups()
    net, tax = sum_of(groups)
    answer = [
        f"total {document.name} {document.currency.code} net {_amount(document, net)}"
        f" tax {_amount(document, tax)} gross {_amount(document, net + tax)}"
    ]
    for group in groups:
        rate = format_shortest(group.rate, FINEST)
        group_net, group_tax = _amount(document, group.net), _amount(document, group.tax)
        answer.append(f"rate {rate} net {group_net} tax {group_tax}")
    return answer


def _amount(document: Document, units: int) -> str:
    return format_decimal(units, document.currency.digits)
