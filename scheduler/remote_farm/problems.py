"""Problem documents as the errors that they were before they went over HTTP. Pure."""

import re

from pydantic import ValidationError

from models.errors import FarmError, Infrastructure, InputFault, InvalidInput, NotFound, Refused
from models.schemas.api_answers import Problem

PREFIX = "urn:gradefarm:problem:"
COUNTED = re.compile(r"(.*): \d+ faults?", re.DOTALL)
ASK_FOR_ONE = (
    "Set GRADEFARM_TOKEN, or keep the token in ~/.config/gradefarm/token (mode 600); whoever runs "
    "the farm makes one with `gradefarm tokens create`."
)
MORE_ROLE = "Ask with a token of that role: `gradefarm tokens create NAME --role …` makes one."
EXIT_OF_STATUS = {400: 2, 401: 4, 403: 4, 404: 3, 409: 4, 413: 2, 422: 2, 502: 5, 503: 5, 504: 5}


def error_of(status: int, body: bytes) -> FarmError:
    """The error that an answer with this status and body tells."""
    try:
        problem = Problem.model_validate_json(body)
    except ValidationError:
        # From something that stands before the farm, such as a proxy.
        problem = _of_others(status)
    message, code = problem.detail, problem.exit_code
    remedy = _remedy(status) or problem.remedy
    if code == InvalidInput.exit_code:
        return _invalid(message, problem)
    if code == Infrastructure.exit_code:
        return Infrastructure("farm", message, remedy=remedy)
    kinds: dict[int, type[FarmError]] = {3: NotFound, 4: Refused}
    return kinds.get(code, FarmError)(message, remedy=remedy)


def _of_others(status: int) -> Problem:
    told = f"the server answered with status {status}."
    code = EXIT_OF_STATUS.get(status, FarmError.exit_code)
    return Problem(type="about:blank", title="", status=status, detail=told, exit_code=code)


def _remedy(status: int) -> str:
    """What to do here, where the server can't know it."""
    return {401: ASK_FOR_ONE, 403: MORE_ROLE}.get(status, "")


def _invalid(message: str, problem: Problem) -> InvalidInput:
    first = message.splitlines()[0] if message else ""
    found = COUNTED.fullmatch(first)
    faults = [InputFault(one.field, one.problem, one.remedy) for one in problem.faults]
    if not faults:
        faults = [InputFault("the request", message, problem.remedy or "see /api/docs there")]
    return InvalidInput(found[1] if found else "the request", faults)
