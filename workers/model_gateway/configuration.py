"""What a gateway file says: providers, models, prices. Pure."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self, cast

from pydantic import Field, ValidationError, field_validator, model_validator

from models.errors import InputFault, InvalidInput
from models.schemas.base import Schema
from models.schemas.model_call import Wire
from models.toml_text import read_toml
from workers.model_gateway.field_rules import DROPPABLE
from workers.model_gateway.price_table import Price, PriceTable

Name = Annotated[str, Field(min_length=1, max_length=200)]

SPEAKS: dict[str, frozenset[Wire]] = {
    "openai": frozenset({"openai-chat", "openai-responses"}),
    "anthropic": frozenset({"anthropic"}),
}
"""The formats of each kind of provider."""


class Provider(Schema):
    """One provider. Times in seconds.

    base_url: what comes before `/chat/completions` (openai) or before `/v1/messages` (anthropic).
    key_file, key_env: where its key is; exactly one, or none for a server that wants none.
    concurrent, starts_per_minute: for all workers together; None is no limit.
    patience_s: how long one call is tried again before the provider counts as unavailable.
    silence_s: how long it may send nothing in a stream; whole_s: before an answer in one piece.
    output_limit_field: what chat completions call the most output tokens there.
    betas: features of Anthropic's that a client may ask for by header.
    """

    wire: Literal["openai", "anthropic"]
    base_url: str
    key_file: str = ""
    key_env: str = ""
    concurrent: int | None = Field(default=None, ge=1)
    starts_per_minute: int | None = Field(default=None, ge=1)
    connect_s: float = Field(default=10.0, gt=0)
    silence_s: float = Field(default=300.0, gt=0)
    whole_s: float = Field(default=1_800.0, gt=0)
    patience_s: float = Field(default=600.0, ge=0)
    first_pause_s: float = Field(default=0.5, gt=0)
    longest_pause_s: float = Field(default=30.0, gt=0)
    output_limit_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    betas: tuple[str, ...] = ()

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if not value.startswith(("https://", "http://")):
            raise ValueError("must begin with https:// (or http:// on a network of your own)")
        return value.rstrip("/")

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        if self.key_file and self.key_env:
            raise ValueError("key_file and key_env are both given: keep one")
        return self


class ServedModel(Schema):
    """One model that runs may be granted.

    upstream: its name at the provider; empty: the same. most_output_tokens: no call may ask for
    more, and one that asks for nothing gets `default_output_tokens`, or that many. bytes_per_token:
    how few bytes of a request a token may have, for reserving: with more than 1, which no token can
    fall short of, calls of odd texts may use more than was reserved. image_tokens, document_tokens:
    the most that one image or one PDF can be; without them none may be sent. drop: fields that are
    taken out of requests instead of refused, for clients that can't leave them out.
    """

    provider: Name
    upstream: str = ""
    most_output_tokens: int = Field(ge=1)
    default_output_tokens: int | None = Field(default=None, ge=1)
    bytes_per_token: float = Field(default=1.0, ge=1, le=8)
    image_tokens: int | None = Field(default=None, ge=1)
    document_tokens: int | None = Field(default=None, ge=1)
    drop: tuple[str, ...] = ()

    @field_validator("drop")
    @classmethod
    def _may_be_dropped(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if other := set(value) - DROPPABLE:
            can = ", ".join(sorted(DROPPABLE))
            raise ValueError(f"{', '.join(sorted(other))} can't be dropped; these can: {can}")
        return value


class GatewayConfiguration(Schema):
    """A whole gateway file."""

    providers: dict[Name, Provider] = Field(min_length=1)
    models: dict[Name, ServedModel] = Field(min_length=1)
    prices: tuple[Price, ...] = ()

    @property
    def price_table(self) -> PriceTable:
        """The prices, to look up."""
        return PriceTable(self.prices)


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Where the key of a provider is: in a file, or else in a variable of the environment."""

    file: str
    variable: str

    @property
    def field(self) -> str:
        """What names it in the gateway's file."""
        return "key_file" if self.file else "key_env"


def parse_configuration(text: str, source: str) -> GatewayConfiguration:
    """The configuration that `text` (TOML) is. Raises InvalidInput that lists every fault."""
    raw = parse_toml(text, source)
    if faults := configuration_faults(raw):
        raise InvalidInput(source, faults)
    return GatewayConfiguration.model_validate(raw)


def parse_toml(text: str, source: str) -> dict[str, object]:
    """The tables of a gateway's file. Raises InvalidInput."""
    try:
        return read_toml(text)
    except ValueError as error:
        fault = InputFault("file", f"is not TOML: {error}", "see the README's example")
        raise InvalidInput(source, [fault]) from error


def configuration_faults(raw: dict[str, object]) -> list[InputFault]:
    """All that keeps `raw` from being a configuration."""
    return _faults_of_fields(raw) + _loose_ends(raw)


def key_places(raw: dict[str, object]) -> dict[str, KeyPlace]:
    """Of each provider that names one place for its key, whatever else is wrong with it."""
    places: dict[str, KeyPlace] = {}
    for name, provider in _tables(raw.get("providers")).items():
        place = KeyPlace(_text(provider.get("key_file")), _text(provider.get("key_env")))
        if bool(place.file) != bool(place.variable):
            places[name] = place
    return places


def _faults_of_fields(raw: dict[str, object]) -> list[InputFault]:
    try:
        GatewayConfiguration.model_validate(raw)
    except ValidationError as error:
        return [
            InputFault(
                ".".join(str(part) for part in item["loc"]) or "file",
                item["msg"],
                "see the README's example",
            )
            for item in error.errors()
        ]
    return []


def _loose_ends(raw: dict[str, object]) -> list[InputFault]:
    """Names that stand for nothing, and prices that stand twice; what is no name or no table is a
    fault of its field."""
    providers, models = _tables(raw.get("providers")), _tables(raw.get("models"))
    known = ", ".join(providers)
    faults = [
        InputFault(f"models.{name}.provider", f"{provider} is none", f"name one of: {known}")
        for name, model in models.items()
        if (provider := _text(model.get("provider"))) and provider not in providers
    ]
    pairs: list[tuple[str, str]] = []
    for place, price in enumerate(_list(raw.get("prices"))):
        model, day = _text(price.get("model")), str(price.get("valid_from"))
        if model and model not in models:
            problem = f"{model} is no model here"
            faults.append(InputFault(f"prices.{place}.model", problem, "name one, or drop"))
        elif (model, day) in pairs:
            problem = f"{model} has two prices from {day} on"
            faults.append(InputFault(f"prices.{place}", problem, "keep one of them"))
        pairs.append((model, day))
    return faults


def _tables(value: object) -> dict[str, dict[str, object]]:
    """The tables below a table."""
    named = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return {
        name: cast("dict[str, object]", table)
        for name, table in named.items()
        if isinstance(table, dict)
    }


def _list(value: object) -> list[dict[str, object]]:
    """A list of tables; what is none is empty, so that the others keep their places."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", one) if isinstance(one, dict) else {} for one in items]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def wires_of(provider: Provider) -> frozenset[Wire]:
    """The formats that `provider` is asked in."""
    return SPEAKS[provider.wire]
