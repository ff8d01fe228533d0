"""Carries out requests."""

from breakerguard.breaker import Breaker, Settings
from breakerguard.refusal import Refused
from breakerguard.request import parse


class Guard:
    """Keeps every target's breaker and the clock; answers one line after the other."""

    def __init__(self):
        self._breakers = {}
        self._clock = 0
        self._operations = {
            "configure": self._configure,
            "call": self._call,
            "result": self._result,
            "state": self._state,
        }

    def answer(self, line):
        try:
            operation, fields = parse(line)
            return {"ok": True, "target": fields["target"]} | self._operations[operation](**fields)
        except Refused as refusal:
            return {"ok": False, "error": refusal.kind}

    def _configure(self, target, success_statuses, failure_statuses, **counts):
        successes = frozenset(success_statuses)
        failures = frozenset(failure_statuses)
        if successes & failures:
            raise Refused("conflicting_statuses")
        if target in self._breakers:
            raise Refused("already_configured")
        settings = Settings(success_statuses=successes, failure_statuses=failures, **counts)
        self._breakers[target] = Breaker(settings)
        return {"state": self._breakers[target].state}

    def _call(self, target, call, at):
        breaker = self._breaker(target, at)
        if breaker.in_flight(call):
            raise Refused("duplicate_call")
        self._advance(breaker, at)
        return {
            "call": call,
            "admitted": breaker.admit(call),
            "state": breaker.state,
            "retry_at": breaker.retry_at,
        }

    def _result(self, target, call, at, status):
        breaker = self._breaker(target, at)
        if not breaker.in_flight(call):
            raise Refused("unknown_call")
        self._advance(breaker, at)
        counted = breaker.record(call, status, at)
        return {"call": call, "counted": counted, "state": breaker.state}

    def _state(self, target, at):
        breaker = self._breaker(target, at)
        self._advance(breaker, at)
        return {
            "state": breaker.state,
            "failures": breaker.failures,
            "trials": breaker.trials,
            "successes": breaker.successes,
            "retry_at": breaker.retry_at,
        }

    def _breaker(self, target, at):
        if target not in self._breakers:
            raise Refused("unknown_target")
        if at < self._clock:
            raise Refused("time_backwards")
        return self._breakers[target]

    def _advance(self, breaker, at):
        self._clock = at
        breaker.advance(at)
