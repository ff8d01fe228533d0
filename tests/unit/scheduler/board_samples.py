"""Counts for boards in tests."""

from collections.abc import Sequence

from models.schemas.board import BoardProvenance, CellCount

TASKS = ("circuit-breaker", "rate-limiter", "ledger-merge")
LANGUAGES = ("go", "python")
PROVENANCE = BoardProvenance(campaign_ids=("spring-1",), isolated=True, unproven=False)


def cell(system: str, passed: int, failed: int, **changes: object) -> CellCount:
    """One cell of `system`; voids planned beside its valid runs unless said otherwise."""
    voids = changes.get("void_by_category", {})
    assert isinstance(voids, dict)
    whole: dict[str, object] = {
        "system": system,
        "system_id": f"id-of-{system}",
        "scripted": False,
        "task": TASKS[0],
        "language": LANGUAGES[0],
        "universe": "sha256:one",
        "passed": passed,
        "failed": failed,
        "planned": passed + failed + sum(voids.values()),
    }
    return CellCount.model_validate(whole | changes)


def uniform(
    system: str,
    passed: int,
    failed: int,
    *,
    tasks: Sequence[str] = TASKS,
    languages: Sequence[str] = LANGUAGES,
    **changes: object,
) -> list[CellCount]:
    """The same counts in every task and language."""
    return [
        cell(system, passed, failed, task=task, language=language, **changes)
        for task in tasks
        for language in languages
    ]
