"""Little interval plots in one line of text: two bands and a point on a shared scale."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

Interval = tuple[float, float]

THICK, THIN, POINT = "━", "─", "●"
LEFT_END, RIGHT_END, INNER_END = "├", "┤", "┿"

_LEAST_SPAN_TENTHS = 2
_LABEL_STEPS_TENTHS = (1, 2, 5)
_LABEL_ROOM = 5


@dataclass(frozen=True, slots=True)
class PlotScale:
    """A linear scale from `low` to `high` tenths over `columns` characters."""

    low: int
    high: int
    columns: int

    def column(self, value: float) -> int:
        """The column of `value` (a share), clipped to the ends of the scale."""
        place = (value * 10.0 - self.low) / (self.high - self.low)
        return round(min(max(place, 0.0), 1.0) * (self.columns - 1))


def choose_scale(intervals: Iterable[Interval], columns: int) -> PlotScale:
    """The shortest scale in whole tenths within [0, 1] that shows all `intervals`."""
    shown = list(intervals) or [(0.0, 1.0)]
    low = max(0, math.floor(min(low for low, _ in shown) * 10.0))
    high = min(10, math.ceil(max(high for _, high in shown) * 10.0))
    while high - low < _LEAST_SPAN_TENTHS:
        low, high = max(0, low - 1), min(10, high + 1)
    return PlotScale(low, high, columns)


def draw_interval(
    scale: PlotScale, thin: Interval, thick: Interval | None, point: float | None
) -> str:
    """One line of `scale.columns` characters.

    The thick interval lies over the thin one, whose ends stay visible inside it.
    """
    line = [" "] * scale.columns
    _fill(line, scale, thin, THIN)
    if thick is not None:
        _fill(line, scale, thick, THICK)
    for end, mark in zip(thin, (LEFT_END, RIGHT_END), strict=True):
        column = scale.column(end)
        line[column] = INNER_END if line[column] == THICK else mark
    if point is not None:
        line[scale.column(point)] = POINT
    return "".join(line)


def draw_axis(scale: PlotScale) -> str:
    """Percent labels at tenths of the scale, as dense as they fit; the last carries the sign."""
    ticks = [tick for tick in range(scale.low, scale.high + 1) if tick % _tick_step(scale) == 0]
    line = [" "] * (scale.columns + 2)
    for tick in ticks:
        label = f"{tick * 10}%" if tick == ticks[-1] else str(tick * 10)
        start = min(max(0, scale.column(tick / 10.0) - len(str(tick * 10)) // 2), scale.columns - 2)
        line[start : start + len(label)] = label
    return "".join(line).rstrip()


def _tick_step(scale: PlotScale) -> int:
    """Tenths between two labels: the fewest whose labels have room."""
    span = scale.high - scale.low
    fitting = [s for s in _LABEL_STEPS_TENTHS if (span // s + 1) * _LABEL_ROOM <= scale.columns]
    return fitting[0] if fitting else _LABEL_STEPS_TENTHS[-1]


def _fill(line: list[str], scale: PlotScale, interval: Interval, mark: str) -> None:
    for column in range(scale.column(interval[0]), scale.column(interval[1]) + 1):
        line[column] = mark
