"""Keeps the folder of builds small, whatever judged code made its builds write."""

from pathlib import Path

from workers.languages.folder_cache import forget, held_names

SIZE_FILE = "size"
MOST_BUILDS = 128
MOST_PROOF_BUILDS = 2_048
"""A whole catalogue in eight languages, each with some twenty subjects that are built."""
MOST_BYTES = 2 << 30


def note_size(build: Path) -> None:
    """Write down how many bytes a finished build holds: asked for often, and it never changes."""
    total = sum(path.lstat().st_size for path in build.rglob("*") if not path.is_dir())
    (build / SIZE_FILE).write_text(str(total), encoding="ascii")


def keep_within_caps(
    builds: Path, most_bytes: int = MOST_BYTES, most_builds: int = MOST_BUILDS
) -> None:
    """Forget what was used longest ago, until the rest is within the caps.

    Builds that are being made or used stay, so that the caps may be exceeded by one build for
    each stage that is at work. What killed workers left half made goes.
    """
    used: list[tuple[float, int, Path]] = []
    for name in held_names(builds):
        folder = builds / name
        try:
            used.append((folder.stat().st_mtime, int((folder / SIZE_FILE).read_text()), folder))
        except (OSError, ValueError):
            forget(folder)
    held_bytes = 0
    for count, (_, size, folder) in enumerate(sorted(used, reverse=True), 1):
        held_bytes += size
        if (count > most_builds or held_bytes > most_bytes) and forget(folder):
            held_bytes -= size
