"""OpenTelemetry's protocol in JSON: attributes, identifiers, times. Hexadecimal, not base64."""

import hashlib
from collections.abc import Mapping

from pydantic import JsonValue

Attributes = Mapping[str, str | int | float | bool | list[str] | None]
Value = dict[str, JsonValue]

TRACE_DIGITS, SPAN_DIGITS = 32, 16


def attributes_of(values: Attributes) -> list[JsonValue]:
    """Attributes by name, without those that are None or empty texts."""
    return [
        {"key": name, "value": _value_of(value)}
        for name, value in values.items()
        if value is not None and value != ""
    ]


def identifier(digits: int, *parts: object) -> str:
    """So many hexadecimal digits that the same parts always give, and others never."""
    named = "\0".join(str(part) for part in parts)
    return hashlib.sha256(named.encode()).hexdigest()[:digits]


def nanoseconds(epoch: float) -> str:
    """Epoch seconds as the protocol's text of a 64-bit number, whole microseconds."""
    return str(round(epoch * 1_000_000) * 1_000)


def _value_of(value: str | float | bool | list[str]) -> Value:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [{"stringValue": one} for one in value]}}
