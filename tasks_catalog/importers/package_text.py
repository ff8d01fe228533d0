"""Writes the records of a task package as text. Pure."""

import json

from models.schemas.check import CheckRecord, Transport, Visibility
from tasks_catalog.importers.package_draft import PackageDraft
from tasks_catalog.toml_text import toml_list, toml_string


def manifest_text(draft: PackageDraft) -> str:
    """`task.toml`."""
    limits = draft.limits
    head = [
        "schema = 1",
        'kind = "ticket"',
        f"id = {toml_string(draft.id)}",
        f"title = {toml_string(draft.title)}",
        "version = 1",
        f"tags = {toml_list(draft.tags)}",
        f"languages = {toml_list(draft.languages)}",
        f"protected = {toml_list(draft.protected)}",
        "",
        "[limits]",
        f"agent_wall_s = {limits.agent_wall_s:g}",
        f"build_wall_s = {limits.build_wall_s:g}",
        f"check_wall_s = {limits.check_wall_s:g}",
        f"memory_mb = {limits.memory_mb}",
    ]
    checks = [line for one in draft.checks for line in _planned(*one)]
    starter = ["", "[starter]", f"may_fail = {toml_list(draft.may_fail)}"]
    return "\n".join([*head, *checks, *starter]) + "\n"


def _planned(visibility: Visibility, check: CheckRecord) -> list[str]:
    lines = [
        "",
        "[[checks]]",
        f"id = {toml_string(check.id)}",
        f"visibility = {toml_string(visibility)}",
        f"title = {toml_string(check.title)}",
    ]
    if check.transport == Transport.SUITE:
        lines.append(f"transport = {toml_string(check.transport)}")
    return lines


def records_text(draft: PackageDraft, visibility: Visibility) -> str:
    """The records of the visible, or of the hidden, checks as a JSON array."""
    chosen = [check for shown, check in draft.checks if shown is visibility]
    records = [check.model_dump(mode="json", exclude_defaults=True) for check in chosen]
    return json.dumps(records, indent=2, ensure_ascii=False) + "\n"
