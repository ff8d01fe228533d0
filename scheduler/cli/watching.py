"""Follows campaigns until they end: a live block on a terminal, plain lines elsewhere."""

import sys
from collections import deque
from collections.abc import Callable

from rich.console import Console
from rich.live import Live
from rich.text import Text

from models.clock import SystemClock
from models.schemas.campaign import CampaignKind
from models.schemas.campaign_progress import CampaignProgress
from scheduler.cli.progress_text import (
    STOPPED,
    Sample,
    joined_progress,
    progress_line,
    rate_of,
    work_lines,
)
from scheduler.farm_access.farm import Farm

LINE_S = 2.0
"""How often a plain line is printed, where there is no terminal to redraw."""
RATE_WINDOW_S = 20.0
SHOWN_RUNS = 12
SILENCE_S = 5.0
"""How long nothing may happen before the watcher asks whether anybody is there."""


class CampaignWatch:
    """Follows one campaign, or several as if they were one. `on_look` is called between looks, to
    tend a farm for instance.

    `aside`: on standard error, where standard output is for a result.
    """

    def __init__(
        self,
        farm: Farm,
        campaign_id: str | tuple[str, ...],
        on_look: Callable[[], None] | None = None,
        *,
        aside: bool = False,
    ) -> None:
        self._farm = farm
        self._clock = SystemClock()
        self._ids = (campaign_id,) if isinstance(campaign_id, str) else campaign_id
        self._on_look = on_look
        self._samples: deque[Sample] = deque()
        self._console = Console(stderr=aside)
        self._lines_to = sys.stderr if aside else sys.stdout
        self._silent_since = self._clock.monotonic()
        self._last_line_at = 0.0
        self._last_line: str = ""
        self._until_settled = False
        self._is_gate = False
        self._languages: tuple[str, ...] = ()
        self._graded_before: int | None = None
        self.first_result_at: float | None = None
        """Monotonic time at which the first graded run was seen; None if there was none."""

    def follow(self, *, until_settled: bool = False) -> CampaignProgress:
        """Show progress until every run has ended; returns the last look.

        With `until_settled` until the scheduler has also closed the campaign, which decides a
        gate. Ends as well where somebody else pauses or cancels the campaign.
        """
        self._until_settled = until_settled
        found = [self._farm.campaigns.find(one) for one in self._ids]
        self._is_gate = {one.kind for one in found} == {CampaignKind.GATE}
        self._languages = tuple(dict.fromkeys(each for one in found for each in one.spec.languages))
        if not self._console.is_terminal:
            return self._looks(self._print_line)
        # The farm is tended between looks by this same thread, so nothing may draw on its own.
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            ended = self._looks(lambda progress: self._redraw(live, progress))
        self._console.print(self._line(ended, None), highlight=False, soft_wrap=True)
        return ended

    def _looks(self, show: Callable[[CampaignProgress], None]) -> CampaignProgress:
        for parts in self._farm.campaigns.looks(self._ids):
            progress = joined_progress(parts)
            self._note(progress)
            show(progress)
            if self._is_over(progress):
                return progress
            if self._on_look:
                self._on_look()
        raise AssertionError("looks have no end")

    def _is_over(self, progress: CampaignProgress) -> bool:
        all_ended = progress.ended >= progress.total and not self._until_settled
        return all_ended or progress.state in STOPPED

    def _note(self, progress: CampaignProgress) -> None:
        now = self._clock.monotonic()
        if not self._samples or progress.ended != self._samples[-1].ended:
            self._silent_since = now
        if self._graded_before is None:
            self._graded_before = progress.graded
        if progress.graded > self._graded_before and self.first_result_at is None:
            self.first_result_at = now
        self._samples.append(Sample(now, progress.ended))
        while now - self._samples[0].at > RATE_WINDOW_S:
            self._samples.popleft()

    def _hint(self) -> str:
        """Why nothing happens, once nothing has happened for a while."""
        if self._clock.monotonic() - self._silent_since < SILENCE_S:
            return ""
        return self._farm.workers.hint(self._languages)

    def _redraw(self, live: Live, progress: CampaignProgress) -> None:
        lines = [self._line(progress, rate_of(self._samples)), self._hint()]
        working = self._farm.workers.in_work(self._ids, SHOWN_RUNS)
        lines += work_lines(working, self._console.width)[:SHOWN_RUNS]
        text = Text("\n".join(line for line in lines if line), overflow="ellipsis", no_wrap=True)
        live.update(text, refresh=True)

    def _line(self, progress: CampaignProgress, rate: float | None) -> str:
        return progress_line(progress, rate, gate=self._is_gate)

    def _print_line(self, progress: CampaignProgress) -> None:
        now = self._clock.monotonic()
        over = progress.ended >= progress.total
        if not over and now - self._last_line_at < LINE_S:
            return
        line = self._line(progress, rate_of(self._samples))
        if hint := self._hint():
            line += "\n" + hint
        if line != self._last_line:
            print(line, flush=True, file=self._lines_to)
        self._last_line, self._last_line_at = line, now
