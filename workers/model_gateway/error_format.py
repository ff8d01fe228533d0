"""How the gateway says no, in the words of each provider. Pure."""

import json

from models.schemas.model_call import Wire
from workers.model_gateway.event_stream import as_event

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
}


def error_value(wire: Wire, status: int, message: str, field: str = "") -> dict[str, object]:
    """The body of an error; `field` is what it is about."""
    kind = _KINDS.get(status, "api_error")
    if wire == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}}
    code = "budget_exhausted" if status == 402 else None
    told = {"message": message, "type": kind, "param": field or None, "code": code}
    return {"error": told}


def error_bytes(wire: Wire, status: int, message: str, field: str = "") -> bytes:
    """The same as bytes."""
    return json.dumps(error_value(wire, status, message, field)).encode()


def error_event(wire: Wire, message: str) -> bytes:
    """The event by which a stream that broke off says so."""
    if wire == "anthropic":
        return as_event(error_value(wire, 500, message), "error")
    if wire == "openai-responses":
        return as_event({"type": "error", "code": "server_error", "message": message}, "error")
    return as_event(error_value(wire, 500, message))


def model_list(wire: Wire, models: tuple[str, ...]) -> dict[str, object]:
    """The models of a grant as the provider lists its own."""
    if wire == "anthropic":
        told = [{"type": "model", "id": name, "display_name": name} for name in models]
        return {"data": told, "has_more": False, "first_id": models[0], "last_id": models[-1]}
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "owned_by": "gradefarm"} for name in models],
    }
