"""A board as plain text for a terminal. No number without its band, its runs and its voids."""

from collections.abc import Iterable

from models.counted_nouns import counted
from models.identifiers import short_digest
from models.plain_text import one_line
from models.schemas.band import ESTIMAND_WORDS
from models.schemas.board import Board, BoardSystem, CancelledCampaign, Separation
from scheduler.boards.band_text import band_text
from scheduler.boards.interval_plot import PlotScale, choose_scale, draw_axis, draw_interval
from scheduler.boards.system_text import system_lines
from scheduler.boards.text_columns import fitted, plain_ascii, wrapped

LEAST_WIDTH = 72
_RULE = "─"
_TIER, _SCORE, _RUNS, _VOIDS, _LETTERS = 4, 19, 6, 5, 5
_NAME_LIMITS = (12, 24)


def render_board(board: Board, *, width: int = 100, ascii_only: bool = False) -> str:
    """Render `board` in lines of at most `width` (72 or more) characters, ending in a newline.

    With `ascii_only` every character is ASCII. Names are shown without control characters.
    """
    width = max(width, LEAST_WIDTH)
    blocks = [
        _heading(board, width),
        _warnings(board, width),
        _table(board, width),
        _separations(board, width),
        _legend(board, width),
        *(system_lines(system, board, width) for system in board.systems),
    ]
    lines = [line.rstrip() for block in blocks if block for line in [*block, ""]]
    text = "\n".join(lines)
    return plain_ascii(text) if ascii_only else text


def _heading(board: Board, width: int) -> list[str]:
    valid = sum(system.headline.n for system in board.systems)
    voids = sum(system.voids for system in board.systems)
    pending = sum(system.pending for system in board.systems)
    parts = [
        f"{counted(len(board.systems), 'system')} on {counted(len(board.tasks), 'task')} in "
        f"{counted(len(board.languages), 'language')}",
        f"{counted(len(board.universes), 'cell')} each",
        f"{counted(valid, 'counted run')}, {voids} void"
        + (f", {pending} not ended" if pending else ""),
    ]
    origin = f"campaigns {', '.join(map(one_line, board.campaign_ids))}"
    fingerprint = short_digest(board.universe_fingerprint)
    return [
        *wrapped(" · ".join(parts), width, "       ", first="BOARD  "),
        *wrapped(f"{origin} · universe {fingerprint}", width, "       "),
        _RULE * width,
    ]


def _warnings(board: Board, width: int) -> list[str]:
    told = (
        (
            board.unproven,
            "UNPROVEN: not every verifier on this board had passed its parity gate when its runs "
            "began. "
            "These figures may measure the checks instead of the systems.",
        ),
        (
            not board.isolated,
            "REDUCED ISOLATION: some runs had less than the full sandbox. "
            "They could have seen or touched what they must not.",
        ),
        (
            any(system.pending for system in board.systems),
            "NOT FINISHED: planned runs have not ended. Whoever looks again and again until two "
            "systems are separated finds false separations more often than stated below.",
        ),
        *((True, _cancelled_words(campaign)) for campaign in board.cancelled),
        (bool(board.suite_tasks), _suite_words(board.suite_tasks)),
    )
    return [
        line for applies, text in told if applies for line in wrapped(text, width, "  ", first="! ")
    ]


def _suite_words(tasks: tuple[str, ...]) -> str:
    return (
        f"NATIVE SUITE: {', '.join(map(one_line, tasks))}. Tests that share a process with the "
        "code that they judge ask these: weaker than answers that are compared outside."
    )


def _cancelled_words(campaign: CancelledCampaign) -> str:
    return (
        f"CANCELLED: {one_line(campaign.campaign_id)} was ended early: "
        f"{counted(campaign.planned, 'run')} planned, {campaign.graded} graded, "
        f"{campaign.cancelled} cancelled. Whoever ends a campaign when the numbers please finds "
        "false separations more often than stated below."
    )


def _table(board: Board, width: int) -> list[str]:
    longest = max(len(_label(system)) for system in board.systems)
    name = min(max(longest, _NAME_LIMITS[0]), _NAME_LIMITS[1])
    taken = _TIER + name + 2 + _SCORE + _RUNS + _VOIDS + _LETTERS + 2
    scale = choose_scale(_shown_intervals(board.systems), width - taken - 2)
    head = (
        f"{'tier':<{_TIER + 1}}{'system':<{name + 1}}{'score  95% band':<{_SCORE}}"
        f"{'n':>{_RUNS}}{'void':>{_VOIDS}}  {'ties':<{_LETTERS}}"
    ).replace("95%", f"{board.policy.level:.0%}")
    lines = [head + draw_axis(scale)]
    tier: int | None = 0
    for system in board.systems:
        if system.tier is None and tier is not None:
            lines.append(f"{'':<{_TIER + 1}}not ranked:")
        shown = f"{system.tier:>3}" if system.tier not in (None, tier) else ""
        lines.append(f"{shown:<{_TIER + 1}}{_row(system, scale, name)}")
        tier = system.tier
    return lines


def _row(system: BoardSystem, scale: PlotScale, name: int) -> str:
    band = system.headline
    comparison = system.comparison
    plot = draw_interval(
        scale,
        (band.low, band.high),
        (comparison.low, comparison.high) if comparison else None,
        band.estimate,
    )
    letters = "".join(system.letters) if len(system.letters) < _LETTERS else "…"
    return (
        f"{fitted(_label(system), name):<{name + 1}}{band_text(band):<{_SCORE}}"
        f"{band.n:>{_RUNS}}{system.voids:>{_VOIDS}}  {letters:<{_LETTERS}}{plot}"
    )


def _label(system: BoardSystem) -> str:
    return one_line(system.name) + (" ⚙" if system.scripted else "")


def _shown_intervals(systems: Iterable[BoardSystem]) -> list[tuple[float, float]]:
    shown: list[tuple[float, float]] = []
    for system in systems:
        shown.append((system.headline.low, system.headline.high))
        if system.comparison is not None:
            shown.append((system.comparison.low, system.comparison.high))
    return shown


def _separations(board: Board, width: int) -> list[str]:
    ranked = [system for system in board.systems if system.tier is not None]
    if len(ranked) < 2:
        return []
    if not board.separations:
        return wrapped("No two systems are separated: this board ranks nobody.", width, "")
    lines = ["Separated on these tasks:"]
    for upper in ranked:
        lower = [pair for pair in board.separations if pair.upper == upper.name]
        if lower:
            below = ", ".join(_separation(pair) for pair in lower)
            lines += wrapped(f"{one_line(upper.name)}  above  {below}", width, "      ", first="  ")
    return lines


def _separation(pair: Separation) -> str:
    return one_line(pair.lower) + ("*" if pair.on_similar_tasks else "")


def _legend(board: Board, width: int) -> list[str]:
    level, risk = f"{board.policy.level:.0%}", f"{1 - board.policy.level:.0%}"
    compared = (
        f"comparison band: widened so that, over all pairs on this board, the chance of even one "
        f"false separation is at most {risk}. Two systems whose thick bars overlap are not ranked "
        f"against each other. Compared over the {board.compared_cells} of {len(board.universes)} "
        f"cells in which all ranked systems have valid runs.{_lost_run_words(board)}"
    )
    scored = (
        f"score with its {level} band: {ESTIMAND_WORDS['these_tasks']}. It says nothing of other "
        f"tasks; the wider band for tasks like these is given per system."
    )
    tied = (
        f"systems that share a letter overlap. tier: 1 + how many systems are separated above."
        f"{_star_words(board)}{_mark_words(board)}"
    )
    counted = (
        f"k of n: passed of counted runs with the {level} band of that cell. 2v: two void runs, "
        f"lost to infrastructure and not in n; 1u: one undelivered run; no mark: none."
    )
    entries = [("━━━", compared), ("├●┤", scored), ("ties", tied), ("7/8", counted)]
    return [
        line for mark, text in entries for line in wrapped(text, width, "     ", first=f"{mark:<5}")
    ]


def _lost_run_words(board: Board) -> str:
    if not board.comparison_covers_lost_runs:
        return ""
    return (
        f" More than {board.policy.harmless_loss:.0%} of some system's runs have no outcome, so "
        "each bar reaches from all of its lost runs failed to all passed."
    )


def _star_words(board: Board) -> str:
    if any(pair.on_similar_tasks is not None for pair in board.separations):
        return " * marks a separation that would also hold on tasks like these."
    return ""


def _mark_words(board: Board) -> str:
    if any(system.scripted for system in board.systems):
        return " ⚙ marks scripted systems: no language model took part."
    return ""
