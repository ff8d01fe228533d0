"""Errors over HTTP, as RFC 9457 says: one shape, every fault of a request at once."""

import logging
from http import HTTPStatus
from typing import cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from models.errors import FarmError, Infrastructure, InputFault, InvalidInput
from models.event_log import event
from models.full_disk import disk_full, is_disk_full
from models.schemas.api_answers import Problem, ProblemFault
from models.storage.transaction import DATABASE_AWAY, DATABASE_ERRORS, UNFIT_VALUES
from scheduler.api.access_errors import ForeignName, LoginNeeded, RoleNeeded, TooLarge, TooSlow
from scheduler.api.request_faults import fault_of

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
JSON_REMEDY = "send one JSON document in UTF-8"
STATUS_OF_ERROR: dict[type[FarmError], HTTPStatus] = {
    LoginNeeded: HTTPStatus.UNAUTHORIZED,
    RoleNeeded: HTTPStatus.FORBIDDEN,
    ForeignName: HTTPStatus.MISDIRECTED_REQUEST,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    TooSlow: HTTPStatus.REQUEST_TIMEOUT,
}
STATUS_OF_EXIT = {
    2: HTTPStatus.BAD_REQUEST,
    3: HTTPStatus.NOT_FOUND,
    4: HTTPStatus.CONFLICT,
    5: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""What an exit code of the command line is over HTTP; any other is the farm's own fault."""
HEADERS = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": 'Bearer realm="gradefarm"'},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": "2"},
}


def handle_problems(app: FastAPI) -> None:
    """Let every error of `app` leave as problem details."""
    app.add_exception_handler(FarmError, _farm_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, http_error_answer)
    for kind in DATABASE_ERRORS:
        app.add_exception_handler(kind, _database_error)
    app.add_exception_handler(Exception, _own_fault)


def answer_of(error: FarmError) -> JSONResponse:
    """The answer to a request that ends with `error`."""
    status = STATUS_OF_ERROR.get(type(error)) or STATUS_OF_EXIT.get(
        error.exit_code, HTTPStatus.INTERNAL_SERVER_ERROR
    )
    faults = error.faults if isinstance(error, InvalidInput) else []
    return _answer(
        Problem(
            type=f"urn:gradefarm:problem:{_dashed(type(error).__name__)}",
            title=status.phrase,
            status=status,
            detail=error.message,
            remedy=error.remedy,
            blame=error.blame.value,
            retryable=error.retryable,
            exit_code=error.exit_code,
            faults=tuple(ProblemFault(**fault.as_json()) for fault in faults),
        )
    )


def database_problem(error: Exception) -> JSONResponse:
    """The answer where the database failed: 503 where it may do well a moment later.

    The words of a driver may hold an address with a password: they go to the log alone.
    """
    if isinstance(error, UNFIT_VALUES):
        fault = InputFault("a parameter", "no text that can be looked for", "remove zero bytes")
        return answer_of(InvalidInput("the request", [fault]))
    if is_disk_full(error):
        return answer_of(disk_full())
    if not isinstance(error, DATABASE_AWAY):
        return own_fault_answer(error)
    return answer_of(
        Infrastructure("farm", "the database does not answer now.", remedy="Ask again in a moment.")
    )


def own_fault_answer(error: Exception) -> JSONResponse:
    """What went wrong is in the log; its words may hold what a client must not see."""
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    return _answer(
        Problem(
            type="about:blank",
            title=status.phrase,
            status=status,
            detail=f"a fault of gradefarm itself ({type(error).__name__})",
            remedy="The server's log has the details.",
            blame="farm",
            exit_code=FarmError.exit_code,
        )
    )


def _farm_error(_: Request, error: Exception) -> JSONResponse:
    return answer_of(cast("FarmError", error))


def _database_error(request: Request, error: Exception) -> JSONResponse:
    asked = f"{request.method} {request.url.path}"
    log.error("no answer", extra=event("database_trouble", asked=asked), exc_info=error)
    return database_problem(error)


def _own_fault(_: Request, error: Exception) -> JSONResponse:
    return own_fault_answer(error)


def _invalid_request(_: Request, error: Exception) -> JSONResponse:
    errors = cast("RequestValidationError", error).errors()
    return _malformed([ProblemFault(**fault_of(one).as_json()) for one in errors])


def _malformed(faults: list[ProblemFault]) -> JSONResponse:
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    told = "; ".join(f"{fault.field}: {fault.problem}" for fault in faults)
    return _answer(
        Problem(
            type="urn:gradefarm:problem:invalid-request",
            title=status.phrase,
            status=status,
            detail=told,
            remedy="See /api/docs for what each parameter takes.",
            blame="user",
            exit_code=2,
            faults=tuple(faults),
        )
    )


def http_error_answer(_: Request, error: Exception) -> JSONResponse:
    """The answer where the framework itself refused a request."""
    known = cast("HTTPException", error)
    # FastAPI calls whatever goes wrong while it reads a body a bad request.
    if isinstance(known.__cause__, FarmError):
        return answer_of(known.__cause__)
    if isinstance(known.__cause__, UnicodeDecodeError):
        return _malformed([ProblemFault(field="body", problem="not UTF-8", remedy=JSON_REMEDY)])
    status = HTTPStatus(known.status_code)
    problem = Problem(
        type="about:blank",
        title=status.phrase,
        status=status,
        detail=str(known.detail),
        blame="user" if status < 500 else "farm",
        exit_code=3 if status == HTTPStatus.NOT_FOUND else 2 if status < 500 else 1,
    )
    answer = _answer(problem)
    answer.headers.update(known.headers or {})
    return answer


def _answer(problem: Problem) -> JSONResponse:
    return JSONResponse(
        problem.model_dump(mode="json"),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=HEADERS.get(HTTPStatus(problem.status)),
    )


def _dashed(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]
