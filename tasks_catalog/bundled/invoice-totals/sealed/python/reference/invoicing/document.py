"""One document: its lines, its rebate and what they come to."""

from dataclasses import dataclass, replace

from invoicing.allocation import allocate
from invoicing.refusal import Refused
from invoicing.request import AMOUNT, FINEST
from invoicing.rounding import divide

LARGEST = 999_999_999_999_999
QUANTITY_PLACES = 3
PRICE_PLACES = 6
PERCENT_DIVISOR = 100 * 10**FINEST


@dataclass(frozen=True)
class Currency:
    code: str
    digits: int


@dataclass(frozen=True)
class Line:
    """A line; amounts are smallest units of the currency, the rate is in thousandths."""

    name: str
    rate: int
    amount: int
    rebate: int = 0

    @property
    def net(self):
        return self.amount - self.rebate


@dataclass(frozen=True)
class Group:
    """What the lines of one rate come to."""

    rate: int
    net: int
    tax: int


class Document:
    """Lines in the order in which they were added. Every change is made whole or not at all."""

    def __init__(self, name, currency, rounding):
        self.name = name
        self.currency = currency
        self.lines = []
        self._rounding = rounding
        self._has_rebate = False

    def add_line(self, name, quantity, price, rate):
        """Add a line and return its amount."""
        self._refuse_after_rebate()
        if self._find(name) is not None:
            raise Refused("line_exists")
        product = quantity.scaled(QUANTITY_PLACES) * price.scaled(PRICE_PLACES)
        product *= 10**self.currency.digits
        amount = self._rounded(product, 10 ** (QUANTITY_PLACES + PRICE_PLACES))
        self._change([*self.lines, Line(name, rate.scaled(FINEST), amount)])
        return amount

    def discount(self, name, kind, value):
        """Lower a line and return the amount that is left."""
        self._refuse_after_rebate()
        place = self._find(name)
        if place is None:
            raise Refused("unknown_line")
        line = self.lines[place]
        magnitude = abs(line.amount)
        left = magnitude - self._reduction(kind, value, magnitude)
        changed = replace(line, amount=left if line.amount > 0 else -left)
        self._change([*self.lines[:place], changed, *self.lines[place + 1 :]])
        return changed.amount

    def rebate(self, kind, value):
        """Lower all lines that are no credits and return the rebate."""
        self._refuse_after_rebate()
        weights = [max(line.amount, 0) for line in self.lines]
        rebate = self._reduction(kind, value, sum(weights))
        parts = allocate(rebate, weights)
        lines = [replace(line, rebate=part) for line, part in zip(self.lines, parts)]
        self._change(lines, rebate)
        self._has_rebate = True
        return rebate

    def groups(self, lines=None):
        """Return what the lines of each rate come to, in ascending order of the rates."""
        nets = {}
        for line in self.lines if lines is None else lines:
            nets[line.rate] = nets.get(line.rate, 0) + line.net
        return [
            Group(rate, net, self._rounded(net * rate, PERCENT_DIVISOR))
            for rate, net in sorted(nets.items())
        ]

    def _refuse_after_rebate(self):
        if self._has_rebate:
            raise Refused("rebate_given")

    def _find(self, name):
        for place, line in enumerate(self.lines):
            if line.name == name:
                return place
        return None

    def _reduction(self, kind, value, base):
        if kind != AMOUNT:
            return self._rounded(base * value.scaled(FINEST), PERCENT_DIVISOR)
        if value.places > self.currency.digits:
            raise Refused("too_precise")
        reduction = value.scaled(self.currency.digits)
        if reduction > base:
            raise Refused("discount_too_large")
        return reduction

    def _rounded(self, numerator, divisor):
        return divide(numerator, divisor, self._rounding)

    def _change(self, lines, *shown):
        groups = self.groups(lines)
        net, tax = sum_of(groups)
        shown = [*shown, net, tax, net + tax]
        shown += [figure for line in lines for figure in (line.amount, line.net)]
        shown += [figure for group in groups for figure in (group.net, group.tax)]
        if any(abs(figure) > LARGEST for figure in shown):
            raise Refused("overflow")
        self.lines = lines


def sum_of(groups):
    """Return the net and the tax of all groups together."""
    return sum(group.net for group in groups), sum(group.tax for group in groups)
