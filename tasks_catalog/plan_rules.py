"""Rules between the manifest of a task and its check records. Pure."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from pydantic import JsonValue

from models.doubles import doubles
from models.schemas.check import Check, CheckInput, CheckRecord, PlannedCheck, Visibility
from models.schemas.task import Fault, TaskFacts, TaskManifest
from tasks_catalog.loading import HIDDEN_FILE, MANIFEST_FILE, VISIBLE_FILE
from tasks_catalog.package_faults import PackageFault

SIGNAL_CODES = range(129, 193)
"""How a shell tells an end by a signal: no program can be seen to exit with one of these."""

LONGEST_ARGUMENT = 128 * 1024 - 1
"""Bytes of one argument, as Linux takes them, without the zero behind it."""

FILES = {Visibility.VISIBLE: VISIBLE_FILE, Visibility.HIDDEN: HIDDEN_FILE}


def manifest_faults(manifest: TaskFacts) -> Iterator[PackageFault]:
    """What is wrong with a manifest in itself, whole or of a public half."""
    yield from _doubled("checks", manifest.check_ids)
    yield from _doubled("languages", manifest.languages)
    yield from _doubled("protected", manifest.protected)
    halves = tuple(Visibility) if isinstance(manifest, TaskManifest) else (Visibility.VISIBLE,)
    for visibility in halves:
        if not manifest.ids_of(visibility):
            problem = f"no {visibility} check is planned"
            yield PackageFault(MANIFEST_FILE, "checks", problem, "plan at least one")
    if isinstance(manifest, TaskManifest):
        yield from _declared_faults(manifest)
    for number, path in enumerate(manifest.protected):
        if not is_inner_path(path.removesuffix("/")):
            remedy = "use a plain relative path without '..'; end a folder with /"
            problem = f"{path!r} is not a path inside a workspace"
            yield PackageFault(MANIFEST_FILE, f"protected.{number}", problem, remedy)


def _declared_faults(manifest: TaskManifest) -> Iterator[PackageFault]:
    """What is wrong with the planted faults and with what is said of the starter."""
    yield from _doubled("faults", tuple(fault.id for fault in manifest.faults))
    yield from _doubled("starter.fails", manifest.starter.fails)
    yield from _doubled("starter.may_fail", manifest.starter.may_fail)
    for number, fault in enumerate(manifest.faults):
        yield from _fault_faults(f"faults.{number}", fault, set(manifest.check_ids))
    hidden = set(manifest.ids_of(Visibility.HIDDEN))
    starter = manifest.starter
    for check in starter.fails:
        if check not in hidden:
            problem = f"{check} is not a hidden check of the plan"
            remedy = "the starter passes what is shown: name hidden checks only"
            yield PackageFault(MANIFEST_FILE, "starter.fails", problem, remedy)
    for check in sorted(set(starter.may_fail) - set(manifest.check_ids)):
        problem = f"{check} is not a check of the plan"
        yield PackageFault(MANIFEST_FILE, "starter.may_fail", problem, "name planned ids")
    for check in sorted(set(starter.fails) & set(starter.may_fail)):
        problem = f"{check} both must and may fail"
        yield PackageFault(MANIFEST_FILE, "starter", problem, "keep it in fails alone")


def is_inner_path(path: str) -> bool:
    """Whether `path` is relative, normal, without `..`, backslashes or control characters."""
    parts = PurePosixPath(path).parts
    plain = path.isprintable() and "\\" not in path and str(PurePosixPath(path)) == path
    return plain and bool(parts) and ".." not in parts and not path.startswith("/")


def _doubled(field: str, values: Sequence[str]) -> Iterator[PackageFault]:
    for value in sorted(doubles(values)):
        yield PackageFault(MANIFEST_FILE, field, f"{value} stands there twice", "keep one")


def _fault_faults(field: str, fault: Fault, planned: set[str]) -> Iterator[PackageFault]:
    for name, ids in (("required", fault.required), ("permitted", fault.permitted)):
        yield from _doubled(f"{field}.{name}", ids)
        for check in ids:
            if check not in planned:
                problem = f"{check} is not a check of the plan"
                yield PackageFault(MANIFEST_FILE, f"{field}.{name}", problem, "name planned ids")
    for check in sorted(set(fault.required) & set(fault.permitted)):
        problem = f"{check} is both required and permitted"
        yield PackageFault(MANIFEST_FILE, field, problem, "keep it in required alone")


def record_faults(
    manifest: TaskFacts, checks: Sequence[CheckRecord], visibility: Visibility
) -> Iterator[PackageFault]:
    """Where the visible, or the hidden, records are not those of the plan, or make no sense."""
    file = FILES[visibility]
    plan = {check.id: check for check in manifest.checks}
    planned = manifest.ids_of(visibility)
    ids = [check.id for check in checks]
    for number, check in enumerate(checks):
        if check.id not in planned:
            remedy = f"plan it as {visibility} in task.toml, or remove the record"
            problem = f"{check.id} is not among the {visibility} checks of the plan"
            yield PackageFault(file, f"{number}.id", problem, remedy)
        else:
            yield from _unlike_plan(f"{number}", file, check, plan[check.id])
        if check.id in ids[:number]:
            problem = f"{check.id} has a record already"
            yield PackageFault(file, f"{number}.id", problem, "keep one record for each id")
        if isinstance(check, Check):
            yield from _check_faults(file, number, check)
    for check in planned:
        if check not in ids:
            problem = f"the planned check {check} has no record"
            yield PackageFault(file, "", problem, "write its record, or remove it from the plan")


def _unlike_plan(
    number: str, file: str, check: CheckRecord, plan: PlannedCheck
) -> Iterator[PackageFault]:
    if check.title != plan.title:
        problem = f"the title of {check.id} is not that of the plan"
        yield PackageFault(file, f"{number}.title", problem, "use the same words in both")
    if check.transport != plan.transport:
        problem = f"{check.id} is planned with the transport {plan.transport}"
        yield PackageFault(file, f"{number}.transport", problem, "use the same in both")


def _check_faults(file: str, number: int, check: Check) -> Iterator[PackageFault]:
    expected, kind = check.expect.stdout, check.compare.kind
    wanted = {"text": str, "json-lines": list, "json": object}[kind]
    if not isinstance(expected, wanted):
        shape = "a string" if kind == "text" else "a list of values, one for each line"
        problem = f"compare.kind {kind} expects {shape}"
        yield PackageFault(file, f"{number}.expect.stdout", problem, "correct one of the two")
    tolerance = check.compare.float_tolerance
    if tolerance is not None and kind == "text":
        problem = "text has no tolerance for floats"
        remedy = "remove it, or compare as json or json-lines"
        yield PackageFault(file, f"{number}.compare.float_tolerance", problem, remedy)
    if tolerance is None and kind != "text" and holds_float(expected):
        problem = "a float is expected, but no tolerance is declared"
        remedy = "declare float_tolerance (0 means exact), or expect integers or strings"
        yield PackageFault(file, f"{number}.compare.float_tolerance", problem, remedy)
    if check.expect.exit in SIGNAL_CODES:
        problem = f"{check.expect.exit} can't be told from an end by a signal"
        remedy = "expect a code of at most 125"
        yield PackageFault(file, f"{number}.expect.exit", problem, remedy)
    yield from _input_faults(file, number, check.input)


def _input_faults(file: str, number: int, given: CheckInput) -> Iterator[PackageFault]:
    for name in given.files:
        if not is_inner_path(name):
            problem = f"{name!r} is not a path inside a folder"
            remedy = "use a plain relative path without '..'"
            yield PackageFault(file, f"{number}.input.files", problem, remedy)
    problem = ""
    if any("\0" in argument for argument in given.argv):
        problem = "an argument holds a NUL character"
    elif any(len(argument.encode()) > LONGEST_ARGUMENT for argument in given.argv):
        problem = f"an argument is longer than {LONGEST_ARGUMENT} bytes"
    if problem:
        yield PackageFault(file, f"{number}.input.argv", problem, "pass it through stdin")


def holds_float(value: JsonValue) -> bool:
    """Whether a float stands anywhere in a JSON value."""
    if isinstance(value, dict):
        return any(holds_float(item) for item in value.values())
    if isinstance(value, list):
        return any(holds_float(item) for item in value)
    return isinstance(value, float)
