"""The OpenAPI description: every operation with its role, its examples and all of its errors."""

from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from models.schemas.api_answers import Problem
from models.schemas.api_token import TokenRole
from scheduler.api.problem_responses import (
    BODY_PROBLEMS,
    FOREIGN_NAME,
    LOGIN_NEEDED,
    MALFORMED,
    OWN_FAULT,
    ROLE_NEEDED,
    UNAVAILABLE,
    Responses,
)
from scheduler.api.roles import needed_role

ROLE_KEY = "x-gradefarm-role"
"""Of an operation: the least role that it needs, or `anybody`."""
TEXT = """Everything that the command line does with a farm, for programs.

Send a token as `Authorization: Bearer …`. Its role is one of `read`, `schedule` and `admin`, each
of which may do all that the ones before it may; every operation says which it needs. Where the
farm has no token yet, anybody on its own machine may read. Every error is a problem document
(RFC 9457) with a remedy and all faults of the request at once. Lists are read page by page: follow
`next` until it is null."""
HIDDEN_SCHEMAS = ("HTTPValidationError", "ValidationError")


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of `app`, made once."""
    if app.openapi_schema is None:
        described = get_openapi(
            title=app.title,
            version=app.version,
            openapi_version=app.openapi_version,
            description=TEXT,
            routes=app.routes,
            separate_input_output_schemas=False,
        )
        _add_components(described)
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                _complete(path, method.upper(), operation)
        app.openapi_schema = described
    return app.openapi_schema


def _add_components(described: dict[str, Any]) -> None:
    components = cast("dict[str, Any]", described.setdefault("components", {}))
    schemas = cast("dict[str, Any]", components.setdefault("schemas", {}))
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs"))
    # It is read as any object, so that all of its faults can be told at once.
    schemas["NewCampaign"]["properties"]["spec"] = {"$ref": "#/components/schemas/CampaignSpec"}
    schemas["Problem"] = problem
    for name in HIDDEN_SCHEMAS:
        schemas.pop(name, None)
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    """Add the role of an operation and the errors that come of what it is, not of what it does."""
    role = needed_role(method, path)
    operation[ROLE_KEY] = role.value if role else "anybody"
    operation["security"] = _security(role)
    responses = cast("dict[str, Any]", operation["responses"])
    responses.pop("422", None)
    for status, response in _usual_errors(role, operation).items():
        responses.setdefault(str(status), response)
    operation["responses"] = dict(sorted(responses.items()))


def _security(role: TokenRole | None) -> list[dict[str, list[str]]]:
    if role is None:
        return []
    # On its own machine, a farm without tokens lets anybody read.
    return [{"token": []}, {}] if role is TokenRole.READ else [{"token": []}]


def _usual_errors(role: TokenRole | None, operation: dict[str, Any]) -> Responses:
    errors = OWN_FAULT | UNAVAILABLE
    if role is not None:
        errors |= LOGIN_NEEDED | ROLE_NEEDED | FOREIGN_NAME
    if "requestBody" in operation:
        errors |= BODY_PROBLEMS
    if "requestBody" in operation or operation.get("parameters"):
        errors |= MALFORMED
    return errors
