"""From the bytes of a request to its fields. Pure.

Strict where two readers could understand two things: UTF-8 alone, no field twice, no number that is
none.
"""

import json
import math
import re
from typing import cast

from models.doubles import doubles
from workers.model_gateway.field_checks import FieldRefused

MOST_VALUES = 400_000
"""What begins or parts values in a body: each becomes an object in memory, of a byte or two."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def parse_body(raw: bytes) -> dict[str, object]:
    """The JSON object that a client sent. Raises FieldRefused."""
    if sum(map(raw.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise FieldRefused(
            "body", f"may have {MOST_VALUES} commas and brackets, those in texts too"
        )
    try:
        told = raw.decode()
        value = cast(
            "object",
            json.loads(
                told, object_pairs_hook=_object, parse_float=_float, parse_constant=_no_number
            ),
        )
        if _HALF.search(told):
            # A half of a pair of surrogates can't be sent on.
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise FieldRefused("body", "is not JSON") from None
    if not isinstance(value, dict):
        raise FieldRefused("body", "is not a JSON object")
    return cast("dict[str, object]", value)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise FieldRefused(doubles(name for name, _ in pairs)[0], "is there twice")
    return made


def _float(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise ValueError(written)
    return value


def _no_number(name: str) -> None:
    raise ValueError(name)
