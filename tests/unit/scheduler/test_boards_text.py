"""The board in a terminal: aligned, complete, and without a bare number."""

import re

import pytest

from models.schemas.board import Board, BoardProvenance, CancelledCampaign
from scheduler.boards.band_text import band_text, categories_text, percent
from scheduler.boards.board_builder import build_board
from scheduler.boards.board_text import render_board
from scheduler.boards.interval_plot import PlotScale, choose_scale, draw_axis, draw_interval
from scheduler.statistics.wilson import cell_band
from tests.unit.scheduler.board_samples import LANGUAGES, PROVENANCE, TASKS, cell, uniform


def sample_board(*, isolated: bool = True, unproven: bool = False) -> Board:
    cells = [
        *uniform("long-named-agent-for-the-top", 40, 0, void_by_category={"gateway": 1}),
        *uniform("middle", 20, 20, undelivered=2),
        *uniform("idle", 0, 40, undelivered=40, scripted=True),
        *uniform("broken", 4, 4, void_by_category={"worker_lost": 8}),
    ]
    provenance = BoardProvenance(campaign_ids=("spring-1",), isolated=isolated, unproven=unproven)
    return build_board(cells, provenance)


@pytest.mark.parametrize("width", [72, 80, 100, 140])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_every_line_fits_the_width(width: int, ascii_only: bool) -> None:
    text = render_board(sample_board(unproven=True), width=width, ascii_only=ascii_only)
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii() == ascii_only
    assert all(line == line.rstrip() for line in text.splitlines())
    assert text.endswith("\n")


def test_the_plain_form_has_the_same_columns() -> None:
    board = sample_board()
    pretty, plain = render_board(board), render_board(board, ascii_only=True)
    assert [len(line) for line in pretty.splitlines()] == [len(line) for line in plain.splitlines()]


def test_every_system_shows_its_score_with_band_runs_and_voids() -> None:
    board = sample_board()
    table = render_board(board).split("Separated")[0]
    for system in board.systems:
        (row,) = [line for line in table.splitlines() if system.name[:20] in line]
        assert band_text(system.headline) in row
        after = row.split(band_text(system.headline))[1].split()
        assert after[:2] == [str(system.headline.n), str(system.voids)]


def test_every_percentage_of_a_system_is_followed_by_its_band() -> None:
    details = render_board(sample_board()).split("── ", 1)[1]
    lines = [line for line in details.splitlines() if "not ranked" not in line]
    bare = r"%(?! \[)(?! to [\d.]+% \(all)(?! \(all failed to all passed\), envelope \[)"
    assert [line for line in lines if re.search(bare, line)] == []


def test_tiers_are_shown_once_and_unranked_systems_with_their_reason() -> None:
    text = render_board(sample_board())
    assert re.search(r"^  1  long-named-agent-for-th…", text, re.MULTILINE)
    assert re.search(r"^  2  middle ", text, re.MULTILINE)
    assert re.search(r"^  3  idle ⚙ ", text, re.MULTILINE)
    assert "not ranked:\n     broken" in text
    assert "50.0% of its runs have no outcome, more than 10%" in text


def test_the_estimand_and_the_bars_are_explained_in_words() -> None:
    text = " ".join(render_board(sample_board()).split())
    assert "over all pairs on this board" in text
    assert "whose thick bars overlap are not ranked against each other" in text
    assert "exactly these tasks, were they run without end" in text
    assert "says nothing of other tasks" in text
    assert "each bar reaches from all of its lost runs failed to all passed" in text
    assert "no language model took part" in text


def test_both_readings_and_the_bounds_of_lost_runs_are_shown() -> None:
    text = render_board(sample_board())
    assert re.search(r"counted as failed +50% \[.*n 240, 0 void, the headline", text)
    assert re.search(r"excluded +53% \[.*n 228, 0 void$", text, re.MULTILINE)
    assert re.search(r"void +48: worker_lost 48", text)
    assert re.search(r"without outcome +25% to 75% \(all failed to all passed\)", text)
    assert re.search(r"excluded +no evidence +n 0, 0 void", text)


def test_every_cell_shows_k_of_n_with_its_band_voids_and_undelivered_runs() -> None:
    text = render_board(sample_board())
    assert text.count("40/40 [91.2, 100] 1v") == 6
    assert text.count("20/40 [35, 65] 2u") == 6
    for name in (*TASKS, *LANGUAGES):
        assert name in text


def test_languages_that_do_not_fit_go_below() -> None:
    languages = tuple(f"language-{i}" for i in range(9))
    board = build_board(uniform("alpha", 20, 20, languages=languages), PROVENANCE)
    text = render_board(board)
    assert text.count("k of n  ") > 1
    assert all(text.count(name) == 1 for name in languages)


def test_warnings_are_shown_only_where_they_apply() -> None:
    clean = render_board(sample_board())
    assert not re.search("UNPROVEN|REDUCED ISOLATION|NOT FINISHED", clean)
    marked = render_board(sample_board(isolated=False, unproven=True))
    assert "! UNPROVEN" in marked
    assert "! REDUCED ISOLATION" in marked
    unfinished = render_board(build_board([cell("a", 3, 1, planned=9)], PROVENANCE))
    assert "! NOT FINISHED" in unfinished
    assert "5 of 9 runs not ended" in unfinished


def test_a_board_of_a_cancelled_campaign_says_what_was_never_run() -> None:
    ended = CancelledCampaign(campaign_id="spring-1", planned=12, graded=4, cancelled=8)
    provenance = PROVENANCE.model_copy(update={"cancelled": (ended,)})
    board = build_board([cell("a", 3, 1)], provenance)
    assert "! CANCELLED: spring-1 was ended early" in render_board(board)
    assert "12 runs planned, 4 graded, 8 cancelled" in render_board(board, width=140)
    assert board.model_dump()["cancelled"][0]["cancelled"] == 8
    assert "CANCELLED" not in render_board(build_board([cell("a", 3, 1)], PROVENANCE))


def test_a_board_that_separates_nobody_says_so() -> None:
    text = render_board(build_board([*uniform("a", 4, 4), *uniform("b", 5, 3)], PROVENANCE))
    assert "No two systems are separated: this board ranks nobody." in text


def test_a_star_marks_what_would_hold_on_similar_tasks() -> None:
    tasks = tuple(f"task-{i:02d}" for i in range(12))
    cells = [*uniform("upper", 9, 1, tasks=tasks), *uniform("lower", 3, 7, tasks=tasks)]
    text = render_board(build_board(cells, PROVENANCE))
    assert "upper  above  lower*" in text
    assert "* marks a separation that would also hold" in " ".join(text.split())


def test_missing_cells_and_cells_without_evidence_are_told_apart() -> None:
    cells = [
        *uniform("whole", 4, 4),
        cell("partial", 0, 0, void_by_category={"gateway": 8}),
    ]
    text = render_board(build_board(cells, PROVENANCE))
    details = text.split("── partial")[1]
    assert "0/0 no evidence 8v" in details
    assert re.search(r"ledger-merge +- +-$", details, re.MULTILINE)


def test_names_cannot_steer_the_terminal() -> None:
    text = render_board(build_board([cell("a\x1b[2Jb\nc", 3, 1)], PROVENANCE))
    assert "\x1b" not in text
    assert "a\\x1b[2Jb c" in text


def test_digits_follow_the_width_of_the_band() -> None:
    assert percent(0.8137, 0.06) == "81"
    assert percent(0.8137, 0.04) == "81.4"
    assert band_text(cell_band(4, 5, voids=0)) == "80% [38, 96]"
    assert (percent(1.0, 0.01), percent(0.99996, 0.01)) == ("100", "100.0")
    assert band_text(cell_band(0, 0, voids=0)) == "no evidence"
    assert categories_text({"b": 1, "a": 1, "c": 5, "d": 0}) == "c 5, a 1, b 1"


def test_the_plot_keeps_the_ends_of_the_thin_band_visible() -> None:
    scale = PlotScale(low=0, high=10, columns=21)
    assert draw_interval(scale, (0.2, 0.8), (0.4, 0.6), 0.5) == "    ├───━━●━━───┤    "
    assert draw_interval(scale, (0.4, 0.6), (0.2, 0.8), 0.5) == "    ━━━━┿─●─┿━━━━    ".replace(
        "─", "━"
    )
    assert draw_interval(scale, (0.0, 1.0), None, None) == "├───────────────────┤"
    assert draw_interval(scale, (0.9, 1.0), (0.9, 1.2), 1.0)[-3:] == "┿━●"


def test_the_scale_is_the_shortest_in_whole_tenths() -> None:
    assert choose_scale([(0.42, 0.55), (0.5, 0.87)], 40) == PlotScale(4, 9, 40)
    assert choose_scale([(-0.2, 1.3)], 40) == PlotScale(0, 10, 40)
    assert choose_scale([(0.0, 0.01)], 40) == PlotScale(0, 2, 40)
    assert choose_scale([], 40) == PlotScale(0, 10, 40)


def test_axis_labels_stand_at_their_values_as_dense_as_they_fit() -> None:
    assert draw_axis(PlotScale(0, 10, 21)) == "0        50        100%"
    assert draw_axis(PlotScale(4, 9, 31)) == "40   50    60    70    80    90%"
    assert draw_axis(PlotScale(0, 10, 34)).split() == ["0", "20", "40", "60", "80", "100%"]
    assert draw_axis(PlotScale(3, 10, 12)).split() == ["50", "100%"]
