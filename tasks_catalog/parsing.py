"""Turns the text of catalogue files into checked values, or into faults that name the place."""

import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from models.canonical import canonical_bytes
from models.doubles import doubles
from models.schemas.check import CheckRecord, Transport
from models.schemas.language import LanguageDefinition
from models.schemas.suite import NativeSuite, SuiteRunner
from models.schemas.task import PublicManifest, TaskManifest
from tasks_catalog.content_hash import tagged
from tasks_catalog.package_faults import PackageFault

T = TypeVar("T")

TOML_PLACE = re.compile(
    r"^(?P<problem>.*) \(at (?P<place>line \d+|end of document)(, column \d+)?\)$", re.DOTALL
)

CHECK_LIST = TypeAdapter(tuple[CheckRecord, ...])


class _Half(BaseModel):
    """Which half of a manifest a file says that it is."""

    half: Literal["public", "whole"] = "whole"


HALF = TypeAdapter(_Half)
WHOLE_MANIFEST = TypeAdapter(TaskManifest)
PUBLIC_MANIFEST = TypeAdapter(PublicManifest)
LANGUAGE = TypeAdapter(LanguageDefinition)
SUITE = TypeAdapter(NativeSuite)
RUNNER = TypeAdapter(SuiteRunner)


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """A value without faults, or None with at least one."""

    value: T | None
    faults: tuple[PackageFault, ...]


def parse_manifest(path: Path, file: str) -> Parsed[TaskManifest | PublicManifest]:
    """Read `task.toml`, whole or of a public half; `file` is the name to use in faults."""
    half = _parse(path, file, _toml, HALF)
    if half.value is None:
        return Parsed(None, half.faults)
    if half.value.half == "public":
        public = _parse(path, file, _toml, PUBLIC_MANIFEST)
        return Parsed(public.value, public.faults)
    whole = _parse(path, file, _toml, WHOLE_MANIFEST)
    return Parsed(whole.value, whole.faults)


def parse_language(path: Path, file: str) -> Parsed[LanguageDefinition]:
    """Read the definition of a language."""
    return _parse(path, file, _toml, LANGUAGE)


def parse_runner(path: Path, file: str) -> Parsed[SuiteRunner]:
    """Read how a language runs native suites."""
    return _parse(path, file, _toml, RUNNER)


def parse_suite(path: Path, file: str) -> Parsed[NativeSuite]:
    """Read `suite.json` of a variant; the same strict JSON as check records."""
    return _parse(path, file, _json, SUITE)


def parse_checks(path: Path, file: str) -> Parsed[tuple[CheckRecord, ...]]:
    """Read a JSON array of check records.

    Strict JSON: no duplicate keys, no NaN or infinity, no lone surrogates.
    """
    return _parse(path, file, _json, CHECK_LIST)


def read_text(path: Path, file: str) -> Parsed[str]:
    """Read a UTF-8 text."""
    try:
        return Parsed(path.read_bytes().decode(), ())
    except OSError as error:
        return Parsed(None, (_unreadable(file, error),))
    except UnicodeDecodeError as error:
        fault = PackageFault(file, f"byte {error.start}", "not UTF-8", "save the file as UTF-8")
        return Parsed(None, (fault,))


class _BadSyntax(Exception):
    def __init__(self, field: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.field = field
        self.problem = problem
        self.remedy = remedy


def _parse(
    path: Path, file: str, load: Callable[[str], object], adapter: TypeAdapter[T]
) -> Parsed[T]:
    text = read_text(path, file)
    if text.value is None:
        return Parsed(None, text.faults)
    try:
        # JSON in between: its strict mode takes lists for tuples, but no "3" or true for a 3.
        raw = json.dumps(load(text.value), default=str)
    except _BadSyntax as error:
        return Parsed(None, (PackageFault(file, error.field, error.problem, error.remedy),))
    except RecursionError:
        fault = PackageFault(file, "", "it is nested too deeply", "use fewer levels")
        return Parsed(None, (fault,))
    except ValueError as error:
        problem = f"a value is out of range: {str(error).partition(';')[0]}"
        return Parsed(None, (PackageFault(file, "", problem, "use a smaller number"),))
    try:
        return Parsed(adapter.validate_json(raw, strict=True), ())
    except ValidationError as error:
        return Parsed(None, tuple(_field_faults(file, error)))


def _toml(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = TOML_PLACE.match(str(error))
        place, problem = (found["place"], found["problem"]) if found else ("", str(error))
        raise _BadSyntax(place, f"not TOML: {problem}", "correct the syntax there") from error


def _json(text: str) -> object:
    try:
        raw: object = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_float=_finite_float,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}"
        raise _BadSyntax(place, f"not JSON: {error.msg}", "correct the syntax there") from error
    try:
        canonical_bytes(tagged(raw))
    except ValueError as error:
        problem = f"has no canonical form: {error}"
        raise _BadSyntax("", problem, "use Unicode text without lone surrogates") from error
    return raw


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    for key in doubles(key for key, _ in pairs):
        raise _BadSyntax(key, "the key stands twice in one object", "keep one of them")
    return dict(pairs)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _BadSyntax("", f"the number {digits} is out of range", "use one that a double holds")
    return number


def _no_constant(name: str) -> object:
    raise _BadSyntax("", f"{name} is not JSON", "use a number, null or a string")


def _unreadable(file: str, error: OSError) -> PackageFault:
    if isinstance(error, FileNotFoundError):
        return PackageFault(file, "", "the file is missing", f"write {file}")
    problem = f"can't be read: {error.strerror}"
    return PackageFault(file, "", problem, "make it a regular file that this user can read")


REMEDIES = {
    "missing": "add it",
    "extra_forbidden": "remove it, or correct the spelling of a key that exists",
    "string_pattern_mismatch": "use 1 to 64 of a-z, 0-9 and inner hyphens",
    "enum": "use one of the values named",
    "literal_error": "use one of the values named",
    "union_tag_not_found": "give it a transport: process or suite",
    "union_tag_invalid": "use one of the values named",
}


def _field_faults(file: str, error: ValidationError) -> Iterator[PackageFault]:
    for item in error.errors(include_url=False):
        field = _place(item["loc"])
        got = "" if item["type"] == "missing" else f" (got {_shown(item['input'])})"
        remedy = REMEDIES.get(item["type"], "correct the value")
        yield PackageFault(file, field, f"{item['msg']}{got}", remedy)


def _place(steps: tuple[int | str, ...]) -> str:
    """A dotted path, without the transport that a record of a list was read as."""
    shown = [str(step) for step in steps]
    of_list = isinstance(next(iter(steps), ""), int)
    if of_list and any(shown[1:2] == [transport.value] for transport in Transport):
        del shown[1]
    return ".".join(shown)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
