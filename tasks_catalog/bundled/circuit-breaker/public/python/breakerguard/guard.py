"""Carries out requests."""

import json

from breakerguard.breaker import Breaker


class Guard:
    """Keeps the breaker and answers one request line after the other."""

    def __init__(self):
        self._breaker = None

    def answer(self, line):
        try:
            return self._carry_out(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError):
            return {"ok": False, "error": "bad_request"}

    def _carry_out(self, request):
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

    def _configure(self, request):
        self._breaker = Breaker(
            request["failure_threshold"],
            request["cooldown_ms"],
            request["failure_statuses"],
        )
        return {"ok": True, "target": request["target"], "state": self._breaker.state}

    def _call(self, request):
        return {
            "ok": True,
            "target": request["target"],
            "call": request["call"],
            "admitted": self._breaker.admits(),
            "state": self._breaker.state,
            "retry_at": self._breaker.retry_at,
        }

    def _result(self, request):
        counted = self._breaker.record(request["status"], request["at"])
        return {
            "ok": True,
            "target": request["target"],
            "call": request["call"],
            "counted": counted,
            "state": self._breaker.state,
        }

    def _state(self, request):
        return {
            "ok": True,
            "target": request["target"],
            "state": self._breaker.state,
            "failures": self._breaker.failures,
            "trials": 0,
            "successes": 0,
            "retry_at": self._breaker.retry_at,
        }
