"""What a rule for a field of a request may ask of its value. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast


class FieldRefused(Exception):
    """`field` is the path of what a request may not hold."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field


InlineKind = Literal["image", "document"]


@dataclass(frozen=True, slots=True)
class Inline:
    """An image or a document at `path` of a request; `size` counts the characters of its data."""

    kind: InlineKind
    size: int
    path: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a request a rule looks; all places of one request share `found`."""

    found: list[Inline]
    step: str = ""
    parent: "Place | None" = None

    @property
    def path(self) -> str:
        """From the request's own fields on: `messages[0].content`."""
        before = self.parent.path if self.parent else ""
        dot = "." if before and not self.step.startswith("[") else ""
        return before + dot + self.step

    def at(self, step: str) -> "Place":
        """The field of that name in what lies here."""
        return Place(self.found, step, self)

    def refuse(self, why: str) -> FieldRefused:
        """What is raised for the value that lies here."""
        return FieldRefused(self.path or "body", why)


Rule = Callable[[Place, object], None]
"""Looks at what lies at a place; raises FieldRefused."""

NOT_SENT = "may not be sent through this gateway"


def text(place: Place, value: object) -> None:
    """A text."""
    if not isinstance(value, str):
        raise place.refuse("must be a text")


def number(place: Place, value: object) -> None:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise place.refuse("must be a number")


def flag(place: Place, value: object) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise place.refuse("must be true or false")


def empty(place: Place, value: object) -> None:
    """An empty list."""
    if value != []:
        raise place.refuse("must be empty")


def data(place: Place, value: object) -> None:
    """An object of the client's own, which the provider shows to the model and does not act on."""
    if not isinstance(value, Mapping):
        raise place.refuse("must be an object")


def schema(place: Place, value: object) -> None:
    """A JSON schema that refers to nothing outside of itself."""
    data(place, value)
    left: list[object] = [value]
    while left:
        one = left.pop()
        if isinstance(one, Mapping):
            held = cast("Mapping[str, object]", one)
            target = held.get("$ref")
            if isinstance(target, str) and not target.startswith("#"):
                raise place.refuse("may not refer to a schema elsewhere ($ref)")
            left += held.values()
        elif isinstance(one, list):
            left += cast("list[object]", one)


def only(*allowed: object) -> Rule:
    """One of these."""

    def check(place: Place, value: object) -> None:
        if value not in allowed or (isinstance(value, bool) != isinstance(allowed[0], bool)):
            told = ", ".join(repr(one) for one in allowed)
            raise place.refuse(f"may only be {told}")

    return check


def shape(rules: Mapping[str, Rule], *needs: str) -> Rule:
    """An object of fields with rules of their own; those of `needs` must be there."""

    def check(place: Place, value: object) -> None:
        if not isinstance(value, Mapping):
            raise place.refuse("must be an object")
        held = cast("Mapping[str, object]", value)
        for name, one in held.items():
            # Clients write null for what they don't mean.
            if one is None:
                continue
            if (rule := rules.get(name)) is None:
                raise place.at(name).refuse(NOT_SENT)
            rule(place.at(name), one)
        for name in needs:
            if held.get(name) is None:
                raise place.at(name).refuse("is missing: nothing is stored that could be meant")

    return check


def fields(rule: Rule, *names: str) -> dict[str, Rule]:
    """Fields of these names that have the same rule."""
    return dict.fromkeys(names, rule)


def each(rule: Rule) -> Rule:
    """A list of such things."""

    def check(place: Place, value: object) -> None:
        if not isinstance(value, list):
            raise place.refuse("must be a list")
        for number, one in enumerate(cast("list[object]", value)):
            rule(place.at(f"[{number}]"), one)

    return check


def text_or(rule: Rule) -> Rule:
    """A text, or what `rule` says."""

    def check(place: Place, value: object) -> None:
        if not isinstance(value, str):
            rule(place, value)

    return check


def by_type(kinds: Mapping[str, Rule], otherwise: str = "") -> Rule:
    """Objects told apart by their `type`; `otherwise` is that of those without one."""

    def check(place: Place, value: object) -> None:
        if not isinstance(value, Mapping):
            raise place.refuse("must be an object")
        held = cast("Mapping[str, object]", value)
        kind = held.get("type", otherwise)
        rule = kinds.get(kind) if isinstance(kind, str) else None
        if rule is None:
            raise place.at("type").refuse(f"{kind!r} {NOT_SENT}")
        rule(place, {name: one for name, one in held.items() if name != "type"})

    return check


def base64_data(kind: InlineKind) -> Rule:
    """An image or a document as base64."""

    def check(place: Place, value: object) -> None:
        if not isinstance(value, str) or not _BASE64.fullmatch(value):
            raise place.refuse("must be base64")
        place.found.append(Inline(kind, len(value), place.path))

    return check


def image_address(place: Place, value: object) -> None:
    """An address that holds the image itself."""
    head = _DATA.match(value) if isinstance(value, str) else None
    if not isinstance(value, str) or head is None:
        raise place.refuse("must hold the image itself (data:image/png;base64,…), no address")
    base64_data("image")(place, value[head.end() :])


IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_DATA = re.compile(f"data:(?:{'|'.join(IMAGES)});base64,")
_BASE64 = re.compile("[A-Za-z0-9+/_-]*={0,2}")
