"""Writes the manifest of a public half as text. Pure."""

from collections.abc import Iterator

from models.schemas.check import PlannedCheck
from models.schemas.task import PublicManifest
from tasks_catalog.toml_text import toml_list, toml_string

HEAD = """\
# The public half of a task: what agent workers hold. It names no hidden check and no fault.
# Written by `gradefarm catalog export`; change the whole package instead, and export again.
"""


def public_manifest_text(manifest: PublicManifest) -> str:
    """`task.toml` of a public half: reading it gives `manifest` again."""
    limits = manifest.limits
    lines = [
        f"schema = {manifest.schema_version}",
        f"half = {toml_string(manifest.half)}",
        f"kind = {toml_string(manifest.kind)}",
        f"id = {toml_string(manifest.id)}",
        f"title = {toml_string(manifest.title)}",
        f"version = {manifest.version}",
        f"tags = {toml_list(manifest.tags)}",
        f"languages = {toml_list(manifest.languages)}",
        f"protected = {toml_list(manifest.protected)}",
        "",
        "[limits]",
        f"agent_wall_s = {limits.agent_wall_s!r}",
        f"build_wall_s = {limits.build_wall_s!r}",
        f"check_wall_s = {limits.check_wall_s!r}",
        f"memory_mb = {limits.memory_mb}",
    ]
    lines += [line for check in manifest.checks for line in _planned(check)]
    return HEAD + "\n".join(lines) + "\n"


def _planned(check: PlannedCheck) -> Iterator[str]:
    yield from ("", "[[checks]]", f"id = {toml_string(check.id)}")
    yield f"visibility = {toml_string(check.visibility)}"
    yield f"title = {toml_string(check.title)}"
    yield f"transport = {toml_string(check.transport)}"
