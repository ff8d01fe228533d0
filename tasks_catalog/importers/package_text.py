"""Writes the records of a task package as text. Pure."""

import json
from collections.abc import Iterable

from models.schemas.check import CheckRecord, Transport, Visibility
from tasks_catalog.importers.package_draft import PackageDraft


def manifest_text(draft: PackageDraft) -> str:
    """`task.toml`."""
    limits = draft.limits
    head = [
        "schema = 1",
        'kind = "ticket"',
        f"id = {_quoted(draft.id)}",
        f"title = {_quoted(draft.title)}",
        "version = 1",
        f"tags = {_list(draft.tags)}",
        f"languages = {_list(draft.languages)}",
        f"protected = {_list(draft.protected)}",
        "",
        "[limits]",
        f"agent_wall_s = {limits.agent_wall_s:g}",
        f"build_wall_s = {limits.build_wall_s:g}",
        f"check_wall_s = {limits.check_wall_s:g}",
        f"memory_mb = {limits.memory_mb}",
    ]
    checks = [line for one in draft.checks for line in _planned(*one)]
    starter = ["", "[starter]", f"may_fail = {_list(draft.may_fail)}"]
    return "\n".join([*head, *checks, *starter]) + "\n"


def _planned(visibility: Visibility, check: CheckRecord) -> list[str]:
    lines = [
        "",
        "[[checks]]",
        f"id = {_quoted(check.id)}",
        f"visibility = {_quoted(visibility)}",
        f"title = {_quoted(check.title)}",
    ]
    if check.transport == Transport.SUITE:
        lines.append(f"transport = {_quoted(check.transport)}")
    return lines


def records_text(draft: PackageDraft, visibility: Visibility) -> str:
    """The records of the visible, or of the hidden, checks as a JSON array."""
    chosen = [check for shown, check in draft.checks if shown is visibility]
    records = [check.model_dump(mode="json", exclude_defaults=True) for check in chosen]
    return json.dumps(records, indent=2, ensure_ascii=False) + "\n"


def _list(words: Iterable[str]) -> str:
    return "[" + ", ".join(map(_quoted, words)) + "]"


def _quoted(text: str) -> str:
    """A TOML string: JSON escapes all that has to be, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
