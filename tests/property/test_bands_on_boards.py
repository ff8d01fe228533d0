"""What must hold for every board, whatever the counts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from models.schemas.board import Board, BoardPolicy, BoardProvenance, CellCount
from scheduler.boards.board_builder import build_board
from scheduler.boards.board_text import render_board

PROVENANCE = BoardProvenance(campaign_ids=("any-1",), isolated=True, unproven=False)


@st.composite
def cell_lists(draw: st.DrawFn) -> list[CellCount]:
    systems = draw(st.integers(1, 5))
    variants = [(f"t{i}", f"l{j}") for i in range(draw(st.integers(1, 4))) for j in range(2)]
    cells: list[CellCount] = []
    for system in range(systems):
        for task, language in variants:
            passed, failed = draw(st.integers(0, 12)), draw(st.integers(0, 12))
            voids = draw(st.sampled_from([0, 0, 0, 0, 1, 2]))
            cells.append(
                CellCount(
                    system=f"s{system}",
                    system_id=f"id{system}",
                    scripted=system == 0,
                    task=task,
                    language=language,
                    universe="sha256:one",
                    passed=passed,
                    failed=failed,
                    undelivered=draw(st.integers(0, failed)),
                    void_by_category={"gateway": voids},
                    planned=passed + failed + voids,
                )
            )
    return cells


READINGS = st.sampled_from(["failed", "excluded"])


def board_of(cells: list[CellCount], reading: str) -> Board:
    return build_board(cells, PROVENANCE, BoardPolicy.model_validate({"undelivered": reading}))


@settings(max_examples=60, deadline=None)
@given(cell_lists(), READINGS)
def test_tiers_letters_and_separations_tell_one_story(cells: list[CellCount], reading: str) -> None:
    board = board_of(cells, reading)
    above = {(pair.upper, pair.lower) for pair in board.separations}
    ranked = [system for system in board.systems if system.tier is not None]
    for system in ranked:
        assert system.tier == 1 + sum((other.name, system.name) in above for other in ranked)
        for other in ranked:
            separated = (system.name, other.name) in above or (other.name, system.name) in above
            assert separated != bool(set(system.letters) & set(other.letters))
    assert [s.tier for s in ranked] == sorted(s.tier or 0 for s in ranked)
    assert board.systems[: len(ranked)] == tuple(ranked)


@settings(max_examples=60, deadline=None)
@given(cell_lists(), READINGS)
def test_no_run_is_lost_between_the_counts_and_the_board(
    cells: list[CellCount], reading: str
) -> None:
    board = board_of(cells, reading)
    for system in board.systems:
        own = [cell for cell in cells if cell.system_id == system.system_id]
        assert system.undelivered.counted_as_failed.n == sum(cell.valid for cell in own)
        assert system.voids == sum(cell.voids for cell in own)
        assert system.headline.n == sum(cell.n for cell in system.cells)
        assert sum(total.band.n for total in system.languages) == system.headline.n
        taken_out = 0 if reading == "failed" else system.undelivered.count
        assert system.headline.n + taken_out + system.voids + system.pending == system.planned


@settings(max_examples=40, deadline=None)
@given(cell_lists(), READINGS)
def test_covering_lost_runs_never_adds_a_separation(cells: list[CellCount], reading: str) -> None:
    board = board_of(cells, reading)
    lenient = BoardPolicy.model_validate({"undelivered": reading, "harmless_loss": 1.0})
    plain = build_board(cells, PROVENANCE, lenient)
    assert set(board.separations) <= set(plain.separations)


@settings(max_examples=40, deadline=None)
@given(cell_lists(), st.integers(72, 130))
def test_every_board_can_be_shown(cells: list[CellCount], width: int) -> None:
    text = render_board(board_of(cells, "failed"), width=width)
    assert max(map(len, text.splitlines())) <= width
