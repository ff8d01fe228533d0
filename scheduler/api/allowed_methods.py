"""Answers a method that an operation does not have with all that it has."""

import re

from fastapi import FastAPI, Request
from starlette.responses import Response

from scheduler.api.description import describe
from scheduler.api.problem_details import http_error_answer

NOT_ALLOWED = 405


def tell_allowed_methods(app: FastAPI) -> None:
    """Let `Allow` name every method of the address, however many routes it has."""

    def answer(request: Request, error: Exception) -> Response:
        told = http_error_answer(request, error)
        if methods := allowed_methods(app, request.url.path):
            told.headers["Allow"] = ", ".join(methods)
        return told

    app.add_exception_handler(NOT_ALLOWED, answer)


def allowed_methods(app: FastAPI, path: str) -> list[str]:
    """The methods that the description has for an address."""
    for template, operations in describe(app)["paths"].items():
        # An address that is written out comes before one with parameters, as in the routes.
        if re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)), path):
            return sorted(method.upper() for method in operations)
    return []
