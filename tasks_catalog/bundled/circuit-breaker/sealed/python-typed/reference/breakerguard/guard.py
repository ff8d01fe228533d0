"""Carries out requests."""

from breakerguard.breaker import Breaker
from breakerguard.refusal import Refused
from breakerguard.request import Call, Configure, Query, Request, Result, parse

Answer = dict[str, str | int | bool | None]


class Guard:
    """Keeps every target's breaker and the clock; answers one line after the other."""

    def __init__(self) -> None:
        self._breakers: dict[str, Breaker] = {}
        self._clock = 0

    def answer(self, line: str) -> Answer:
        try:
            request = parse(line)
            answer: Answer = {"ok": True, "target": request.target}
            return answer | self._carry_out(request)
        except Refused as refusal:
            return {"ok": False, "error": refusal.kind}

    def _carry_out(self, request: Request) -> Answer:
        match request:
            case Configure():
                return self._configure(request)
            case Call():
                return self._call(request)
            case Result():
                return self._result(request)
            case Query():
                return self._state(request)

    def _configure(self, request: Configure) -> Answer:
        settings = request.settings
        if settings.success_statuses & settings.failure_statuses:
            raise Refused("conflicting_statuses")
        if request.target in self._breakers:
            raise Refused("already_configured")
        breaker = Breaker(settings)
        self._breakers[request.target] = breaker
        return {"state": breaker.state}

    def _call(self, request: Call) -> Answer:
        breaker = self._breaker(request.target, request.at)
        if breaker.in_flight(request.call):
            raise Refused("duplicate_call")
        self._advance(breaker, request.at)
        return {
            "call": request.call,
            "admitted": breaker.admit(request.call),
            "state": breaker.state,
            "retry_at": breaker.retry_at,
        }

    def _result(self, request: Result) -> Answer:
        breaker = self._breaker(request.target, request.at)
        if not breaker.in_flight(request.call):
            raise Refused("unknown_call")
        self._advance(breaker, request.at)
        counted = breaker.record(request.call, request.status, request.at)
        return {"call": request.call, "counted": counted, "state": breaker.state}

    def _state(self, request: Query) -> Answer:
        breaker = self._breaker(request.target, request.at)
        self._advance(breaker, request.at)
        return {
            "state": breaker.state,
            "failures": breaker.failures,
            "trials": breaker.trials,
            "successes": breaker.successes,
            "retry_at": breaker.retry_at,
        }

    def _breaker(self, target: str, at: int) -> Breaker:
        if target not in self._breakers:
            raise Refused("unknown_target")
        if at < self._clock:
            raise Refused("time_backwards")
        return self._breakers[target]

    def _advance(self, breaker: Breaker, at: int) -> None:
        self._clock = at
        breaker.advance(at)
