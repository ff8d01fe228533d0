"""What changed between two universes of one variant, in words. Pure."""

from collections.abc import Collection, Mapping

DETAILS = {
    "checks": "check ",
    "faults": "fault ",
    "starter_files": "file public/",
    "reference_files": "file sealed/",
    "fault_patches": "file sealed/",
    "suite": "file sealed/",
}
"""Parts that are put together from pieces, with how the names of the pieces begin."""


def changes_between(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """One phrase for each piece that was added, removed or changed, in the order of `after`.

    A part is only named where none of its pieces tells more: its order alone was changed.
    """
    names = dict.fromkeys([*after, *before])
    changed = [name for name in names if before.get(name) != after.get(name)]
    return tuple(
        f"{_words(name)} {_how(was=name in before, is_there=name in after)}"
        for name in changed
        if not any(piece.startswith(DETAILS.get(name, "\0")) for piece in changed)
    )


def tool_changes(proved: tuple[str, str], serving: Collection[tuple[str, str]]) -> tuple[str, ...]:
    """How (toolchain, isolation) of a proof differ from what workers serve with now."""
    now = sorted(serving)
    phrases: list[str] = []
    for place, what in enumerate(("toolchain", "isolation")):
        served = list(dict.fromkeys(one[place] for one in now))
        if proved[place] not in served:
            phrases.append(f"{what} {proved[place] or 'unknown'} → {' and '.join(served)}")
    return tuple(phrases)


def _words(name: str) -> str:
    return name.replace("_", " ") if " " not in name else name


def _how(*, was: bool, is_there: bool) -> str:
    if was and is_there:
        return "changed"
    return "added" if is_there else "removed"
