"""Errors over HTTP, as RFC 9457 says: one handler, one shape, every fault of a request at once."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from models.errors import FarmError, InvalidInput

MEDIA_TYPE = "application/problem+json"
STATUS_OF_EXIT = {
    2: HTTPStatus.BAD_REQUEST,
    3: HTTPStatus.NOT_FOUND,
    4: HTTPStatus.CONFLICT,
    5: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""What an exit code of the command line is over HTTP; any other is the farm's own fault."""


class ProblemFault(BaseModel):
    """One fault of a request: where, what, and what to do."""

    field: str
    problem: str
    remedy: str = ""


class Problem(BaseModel):
    """RFC 9457 with what every error of the farm has besides: a remedy, a blame, its faults."""

    type: str
    title: str
    status: int
    detail: str
    remedy: str = ""
    blame: str = ""
    retryable: bool = False
    faults: list[ProblemFault] = []


def handle_problems(app: FastAPI) -> None:
    """Let every error of `app` leave as problem details."""
    app.add_exception_handler(FarmError, _farm_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _own_fault)


def _farm_error(_: Request, error: Exception) -> JSONResponse:
    known = cast("FarmError", error)
    status = STATUS_OF_EXIT.get(known.exit_code, HTTPStatus.INTERNAL_SERVER_ERROR)
    faults = known.faults if isinstance(known, InvalidInput) else []
    return _answer(
        Problem(
            type=f"urn:gradefarm:problem:{_dashed(type(known).__name__)}",
            title=status.phrase,
            status=status,
            detail=known.message,
            remedy=known.remedy,
            blame=known.blame.value,
            retryable=known.retryable,
            faults=[ProblemFault(**fault.as_json()) for fault in faults],
        )
    )


def _invalid_request(_: Request, error: Exception) -> JSONResponse:
    errors = cast("Sequence[dict[str, Any]]", cast("RequestValidationError", error).errors())
    faults = [
        ProblemFault(field=".".join(map(str, one["loc"])), problem=str(one["msg"]))
        for one in errors
    ]
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
            faults=faults,
        )
    )


def _http_error(_: Request, error: Exception) -> JSONResponse:
    known = cast("HTTPException", error)
    status = HTTPStatus(known.status_code)
    return _answer(
        Problem(type="about:blank", title=status.phrase, status=status, detail=str(known.detail))
    )


def _own_fault(_: Request, error: Exception) -> JSONResponse:
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
        )
    )


def _answer(problem: Problem) -> JSONResponse:
    return JSONResponse(
        problem.model_dump(mode="json"), status_code=problem.status, media_type=MEDIA_TYPE
    )


def _dashed(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]
