"""Carries out requests."""

import json
from typing import Any

from breakerguard.breaker import Breaker

Answer = dict[str, str | int | bool | None]


class Guard:
    """Keeps the breaker and answers one request line after the other."""

    def __init__(self) -> None:
        self._configured: Breaker | None = None

    def answer(self, line: str) -> Answer:
        try:
            return self._carry_out(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            return {"ok": False, "error": "bad_request"}

    @property
    def _breaker(self) -> Breaker:
        if self._configured is None:
            raise ValueError("no configuration yet")
        return self._configured

    def _carry_out(self, request: dict[str, Any]) -> Answer:
        match request["op"]:
            case "configure":
                return self._configure(request)
            case "call":
                return self._call(request)
            case "result":
                return self._result(request)
            case "state":
                return self._state(request)
        raise ValueError("unknown operation")

    def _configure(self, request: dict[str, Any]) -> Answer:
        self._configured = Breaker(
            request["failure_threshold"],
            request["cooldown_ms"],
            request["failure_statuses"],
        )
        return {"ok": True, "target": request["target"], "state": self._breaker.state}

    def _call(self, request: dict[str, Any]) -> Answer:
        return {
            "ok": True,
            "target": request["target"],
            "call": request["call"],
            "admitted": self._breaker.admits(),
            "state": self._breaker.state,
            "retry_at": self._breaker.retry_at,
        }

    def _result(self, request: dict[str, Any]) -> Answer:
        counted = self._breaker.record(request["status"], request["at"])
        return {
            "ok": True,
            "target": request["target"],
            "call": request["call"],
            "counted": counted,
            "state": self._breaker.state,
        }

    def _state(self, request: dict[str, Any]) -> Answer:
        return {
            "ok": True,
            "target": request["target"],
            "state": self._breaker.state,
            "failures": self._breaker.failures,
            "trials": 0,
            "successes": 0,
            "retry_at": self._breaker.retry_at,
        }
