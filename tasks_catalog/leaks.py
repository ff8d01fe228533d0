"""Looks for hidden material in what agent workers hold. Pure.

Searched for: the id (with a hyphen in it) and the title of every hidden check, its whole input
and its whole expected answer, as they are and as they would stand inside a JSON string. Single
words and short answers are not searched for, since a ticket must be able to name them. Of native
suites the files are searched for instead: the names of their tests are words like any other.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from models.schemas.check import Check, CheckRecord
from tasks_catalog.package_faults import PackageFault

SHORTEST_INPUT = 24
SHORTEST_ANSWER = 48


def leak_faults(
    hidden: Sequence[CheckRecord], public_files: Mapping[str, bytes]
) -> Iterator[PackageFault]:
    """One fault for each public file and each part of a hidden check that it shows.

    `public_files` maps paths relative to the package to bytes. Faults don't repeat what is hidden.
    """
    for check in hidden:
        if not isinstance(check, Check):
            continue
        for what, needles in _needles(check):
            for file, content in sorted(public_files.items()):
                if any(needle in content for needle in needles):
                    problem = f"shows the {what} of the hidden check {check.id}"
                    remedy = "remove it there, or change the hidden check"
                    yield PackageFault(file, "", problem, remedy)


def suite_leaks(
    suite: Mapping[str, bytes], folder: str, public_files: Mapping[str, bytes]
) -> Iterator[PackageFault]:
    """One fault for each public file that is one of a native suite: by content, or by its place.

    `suite` maps paths in the workspace to bytes, `folder` is where the starter lies.
    """
    hidden = {content for content in suite.values() if len(content.strip()) >= SHORTEST_INPUT}
    for file, content in sorted(public_files.items()):
        if content in hidden or file.removeprefix(f"{folder}/") in suite:
            problem = "a file of the hidden native suite"
            yield PackageFault(file, "", problem, "remove it there")


def _needles(check: Check) -> Iterator[tuple[str, set[bytes]]]:
    if "-" in check.id:
        yield "id", {check.id.encode()}
    yield "title", _spellings(check.title)
    for text in (check.input.stdin, *check.input.files.values()):
        if len(text.strip()) >= SHORTEST_INPUT:
            yield "input", _spellings(text.strip())
    answers = {text for text in _answers(check) if len(text) >= SHORTEST_ANSWER}
    if answers:
        yield "answer", set[bytes]().union(*(_spellings(text) for text in answers))


def _answers(check: Check) -> Iterator[str]:
    expected = check.expect.stdout
    if check.compare.kind == "text" and isinstance(expected, str):
        yield expected.strip()
        return
    for separators in ((",", ":"), (", ", ": ")):
        yield json.dumps(expected, separators=separators, ensure_ascii=False)
        if check.compare.kind == "json-lines" and isinstance(expected, list):
            rows = [json.dumps(v, separators=separators, ensure_ascii=False) for v in expected]
            yield "\n".join(rows)


def _spellings(text: str) -> set[bytes]:
    inner = [json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]]
    return {spelling.encode() for spelling in (text, *inner)}
