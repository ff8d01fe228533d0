"""The details of one system on a board: readings, voids, and k of n in every cell."""

from collections.abc import Sequence

from models.counted_nouns import counted
from models.plain_text import one_line
from models.schemas.band import Band
from models.schemas.board import Board, BoardCell, BoardSystem
from scheduler.boards.band_text import (
    band_text,
    bounds_text,
    categories_text,
    envelope_text,
    sample_text,
)
from scheduler.boards.reply_text import reply_facts
from scheduler.boards.text_columns import fitted, wrapped

_TASK_COLUMNS = (12, 26)
_INDENT = "  "
_GAP = "  "
_FACT = 18
_BAND = 20


def system_lines(system: BoardSystem, board: Board, width: int) -> list[str]:
    """Everything the board knows of `system`, in lines of at most `width` characters."""
    cells, tasks = system.headline.tasks, system.similar_tasks.tasks
    facts = [
        (
            "these tasks",
            f"{_figure(system.headline)} in {counted(cells, 'cell')}{_pending(system)}",
        ),
        ("tasks like these", f"{_figure(system.similar_tasks)} in {counted(tasks, 'task')}"),
        *_rank_facts(system, board),
        *_undelivered_facts(system, board),
        *_void_facts(system),
        *([] if system.replies is None else reply_facts(system.replies)),
    ]
    lines = [_title(system, width)]
    for label, text in facts:
        first = f"{_INDENT}{label:<{_FACT}}  "
        lines += wrapped(text, width, " " * len(first), first=first)
    return [*lines, "", *_cell_tables(system, board, width)]


def _title(system: BoardSystem, width: int) -> str:
    scripted = " · scripted, no language model" if system.scripted else ""
    title = f"── {one_line(system.name)} · {one_line(system.system_id)}{scripted} "
    return fitted(title, width - 2) + "─" * max(2, width - len(title))


def _figure(band: Band) -> str:
    return f"{band_text(band):<{_BAND}} {sample_text(band)}"


def _pending(system: BoardSystem) -> str:
    return (
        f"; {system.pending} of {counted(system.planned, 'run')} not ended"
        if system.pending
        else ""
    )


def _rank_facts(system: BoardSystem, board: Board) -> list[tuple[str, str]]:
    if system.rank is None:
        return [("not ranked", f"{system.unranked_reason}")]
    ranked = sum(other.tier is not None for other in board.systems)
    best, worst = system.rank.best, system.rank.worst
    place = f"{best}" if best == worst else f"{best} to {worst}"
    return [("rank", f"{place} of {ranked}, tier {system.tier}")]


def _undelivered_facts(system: BoardSystem, board: Board) -> list[tuple[str, str]]:
    told = system.undelivered
    rate = ("undelivered", f"{_figure(told.rate)}; {counted(told.count, 'run')}")
    if told.count == 0:
        return [rate]
    mark = {board.policy.undelivered: ", the headline"}
    return [
        rate,
        (" counted as failed", _figure(told.counted_as_failed) + mark.get("failed", "")),
        (" excluded", _figure(told.excluded) + mark.get("excluded", "")),
    ]


def _void_facts(system: BoardSystem) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    if system.voids:
        facts.append(("void", f"{system.voids}: {categories_text(system.void_by_category)}"))
    if system.envelope is not None:
        lost, launched = system.envelope.lost, system.envelope.launched
        told = f"{envelope_text(system.envelope)}; {lost} of {launched} ended runs"
        facts.append(("without outcome", told))
    return facts


def _cell_tables(system: BoardSystem, board: Board, width: int) -> list[str]:
    """Tasks down, languages across, as many languages side by side as fit."""
    names = max(map(len, board.tasks))
    task_column = min(max(names, _TASK_COLUMNS[0]), _TASK_COLUMNS[1])
    columns = _language_columns(system, board)
    labels = ["k of n", *board.tasks, "all tasks", ""]
    lines: list[str] = []
    for group in _side_by_side(columns, width - len(_INDENT) - task_column):
        for row, label in enumerate(labels):
            cells = "".join(f"{_GAP}{texts[row]:<{_widest(texts)}}" for texts in group)
            lines.append(f"{_INDENT}{fitted(one_line(label), task_column):<{task_column}}{cells}")
        lines.append("")
    return lines[:-1]


def _language_columns(system: BoardSystem, board: Board) -> list[list[str]]:
    """One column of texts per language: its name, every task, the subtotal, its sample."""
    cells = {(cell.task, cell.language): _cell_text(cell) for cell in system.cells}
    bands = {total.language: total.band for total in system.languages}
    return [
        [
            one_line(language),
            *(cells.get((task, language), "-") for task in board.tasks),
            band_text(bands[language]) if language in bands else "-",
            sample_text(bands[language]) if language in bands else "",
        ]
        for language in board.languages
    ]


def _side_by_side(columns: Sequence[list[str]], room: int) -> list[list[list[str]]]:
    """Group `columns` in order so that each group fits into `room`, one column at least."""
    groups: list[list[list[str]]] = []
    left = 0
    for column in columns:
        needed = _widest(column) + len(_GAP)
        if not groups or needed > left:
            groups.append([])
            left = room
        groups[-1].append(column)
        left -= needed
    return groups


def _widest(texts: Sequence[str]) -> int:
    return max(map(len, texts))


def _cell_text(cell: BoardCell) -> str:
    voids = sum(cell.void_by_category.values())
    band = bounds_text(cell.band) if cell.band.has_evidence else "no evidence"
    return f"{cell.passed}/{cell.n} {band}" + _marks(voids, cell.undelivered)


def _marks(voids: int, undelivered: int) -> str:
    return (f" {voids}v" if voids else "") + (f" {undelivered}u" if undelivered else "")
