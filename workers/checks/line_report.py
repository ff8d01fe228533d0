"""Reads the reports of the farm's own runners: marked lines of JSON. Pure."""

from dataclasses import dataclass, field
from typing import cast

from workers.checks.json_values import NotStrictJson, read_json
from workers.checks.suite_report import (
    MOST_TESTS,
    NativeStatus,
    NativeTest,
    NotAReport,
    SuiteReport,
)

LONGEST_DETAIL = 200


def read_line_report(output: bytes, nonce: str) -> SuiteReport:
    """Every line is `nonce`, a blank and an event: `begin`, `end` or, at last, `done`.

    A last line without its line feed is one that was cut off. Whatever else there is makes it no
    report: the channel belongs to the runner alone.
    """
    reading = _Reading()
    problem = ""
    try:
        for line in output.split(b"\n")[:-1]:
            _take(reading, line.decode("utf-8"), nonce)
    except UnicodeDecodeError:
        problem = "it is not UTF-8"
    except (NotAReport, NotStrictJson) as error:
        problem = str(error)
    running = (reading.begun,) if reading.begun is not None else ()
    return SuiteReport(tuple(reading.ended), running, reading.done, problem)


@dataclass(slots=True)
class _Reading:
    ended: list[NativeTest] = field(default_factory=list[NativeTest])
    begun: str | None = None
    done: bool = False


def _take(reading: _Reading, line: str, nonce: str) -> None:
    mark, _, text = line.partition(" ")
    if mark != nonce:
        raise NotAReport("a line is not marked as the runner's")
    if reading.done:
        raise NotAReport("it goes on after its end")
    event = read_json(text)
    if not isinstance(event, dict):
        raise NotAReport("an event is no object")
    fields = cast("dict[str, object]", event)
    kind = fields.get("event")
    if kind == "begin" and reading.begun is None:
        reading.begun = _text(fields, "test")
    elif kind == "end" and reading.begun is not None:
        _end(reading, fields)
    elif kind == "done" and reading.begun is None:
        reading.done = fields.get("tests") == len(reading.ended)
        if not reading.done:
            raise NotAReport("it counts other tests than it tells of")
    else:
        raise NotAReport("its events don't fit together")


def _end(reading: _Reading, fields: dict[str, object]) -> None:
    name, status = _text(fields, "test"), _text(fields, "status")
    if name != reading.begun or status not in set(NativeStatus):
        raise NotAReport("its events don't fit together")
    if len(reading.ended) >= MOST_TESTS:
        raise NotAReport(f"it tells of more than {MOST_TESTS} tests")
    detail = _text(fields, "detail")[:LONGEST_DETAIL]
    reading.ended.append(NativeTest(name, NativeStatus(status), detail))
    reading.begun = None


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise NotAReport(f"an event has no {name}")
    return value
