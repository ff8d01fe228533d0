"""What became of every exercise of an import."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from models.counted_nouns import counted
from models.plain_text import one_line


class NotImportable(Exception):
    """An exercise can't become a task package that the gate could prove; the message says why."""


@dataclass(frozen=True, slots=True)
class ImportLine:
    """One exercise in one language (or in several): the task that it became, or why it didn't.

    `checks` counts those that are planned, `notes` tell what was left out.
    """

    exercise: str
    languages: tuple[str, ...]
    task: str = ""
    checks: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def imported(self) -> bool:
        """Whether there is a package now."""
        return not self.reason


def report_lines(lines: Iterable[ImportLine]) -> list[str]:
    """A table with one line for each exercise, and the sums by language."""
    told = list(lines)
    width = max((len(line.exercise) for line in told), default=0)
    spoken = max((len(_languages(line)) for line in told), default=0)
    rows = [
        f"{line.exercise:<{width}}  {_languages(line):<{spoken}}  {_end(line)}" for line in told
    ]
    done, left = Counter[str](), Counter[str]()
    for line in told:
        for language in line.languages:
            (done if line.imported else left)[language] += 1
    sums = [
        f"{language}: {done[language]} imported, {left[language]} not"
        for language in sorted({*done, *left})
    ]
    return [*rows, "", *sums, NO_FAULTS]


NO_FAULTS = (
    "no planted faults: the gate can prove that the reference passes and that the starter and the "
    "controls fail, and not that the checks would notice a slip"
)


def _languages(line: ImportLine) -> str:
    return ", ".join(line.languages)


def _end(line: ImportLine) -> str:
    if not line.imported:
        return one_line(f"not imported: {line.reason}")
    notes = f" ({'; '.join(line.notes)})" if line.notes else ""
    return one_line(f"{line.task}: {counted(line.checks, 'check')}{notes}")
