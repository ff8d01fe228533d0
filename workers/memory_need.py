"""Whether a machine has the memory that its stages may use at once."""

from collections.abc import Iterable
from dataclasses import dataclass

from models.schemas.language import LanguageDefinition
from models.schemas.task import TaskFacts
from workers.languages.compilation import compiler_limits

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """The memory of a machine, and the most that one stage may use by its limits; in MiB."""

    has_mb: int
    stage_mb: int

    def shortage(self, stages: int) -> str:
        """What is wrong with `stages` at once, with what to do; empty where it is in order.

        Where the machine is exhausted before a limit, the kernel picks a victim: nobody can tell
        then whose fault it was, and what should have failed is void.
        """
        if stages * self.stage_mb <= self.has_mb:
            return ""
        fit = max(1, self.has_mb // self.stage_mb)
        return (
            f"{stages} at once may use {stages} x {self.stage_mb} MiB, but there are "
            f"{self.has_mb}: a program within its limit could exhaust the machine; "
            f"use --concurrency {fit} or lower the tasks' memory_mb"
        )


def memory_need(
    has_bytes: int, tasks: Iterable[TaskFacts], languages: Iterable[LanguageDefinition]
) -> MemoryNeed:
    """The need of a machine that serves `languages` for all `tasks`."""
    stages = [task.limits.memory_mb for task in tasks]
    if any(language.build is not None for language in languages):
        stages.append(compiler_limits(1.0).memory_bytes // MEBIBYTE)
    return MemoryNeed(has_bytes // MEBIBYTE, max(stages, default=1))
