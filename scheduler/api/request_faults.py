"""Faults of a request with their place, what is wrong, and what to send instead. Pure."""

from collections.abc import Sequence
from typing import Any

from models.errors import InputFault

REMEDIES = {
    "missing": "add it",
    "extra_forbidden": "remove it",
    "json_invalid": "send one JSON document",
    "string_pattern_mismatch": "use a-z, 0-9 and inner hyphens",
    "bool_parsing": "give true or false",
    "bool_type": "give true or false",
    "int_parsing": "give a whole number",
    "int_type": "give a whole number",
    "int_from_float": "give a whole number",
    "float_parsing": "give a number",
    "float_type": "give a number",
    "string_type": "give a text",
    "list_type": "give a list",
    "tuple_type": "give a list",
    "dict_type": "give an object",
    "model_type": "give an object",
    "model_attributes_type": "send a JSON object, with Content-Type: application/json",
}


def fault_of(error: Any) -> InputFault:
    """What pydantic says of one part of a request, as a fault of the farm."""
    return InputFault(place_of(error["loc"]), str(error["msg"]), _remedy(error))


def place_of(location: Sequence[int | str]) -> str:
    """A JSON pointer for the body, `query.<name>` and the like for all else."""
    if not location or location[0] != "body":
        return ".".join(map(str, location))
    parts = location[1:]
    # Of a body that is no JSON, pydantic tells the offset.
    if len(parts) == 1 and isinstance(parts[0], int):
        return f"body, character {parts[0]}"
    return pointer_to(parts)


def pointer_to(parts: Sequence[int | str]) -> str:
    """A JSON pointer (RFC 6901) as a URI fragment, `#` for the whole document."""
    return "#" + "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def _remedy(error: Any) -> str:
    known = REMEDIES.get(error["type"])
    if known:
        return known
    # Limits and choices are in the message, such as "should be less than or equal to 1000".
    return "give a value of that kind"
