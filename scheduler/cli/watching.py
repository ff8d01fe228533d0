"""Follows campaigns until they end: a live block on a terminal, lines or JSON elsewhere."""

import sys
from collections.abc import Callable

from rich.console import Console
from rich.live import Live
from rich.text import Text

from models.clock import SystemClock
from models.schemas.campaign import AT_WORK
from models.schemas.campaign_activity import CampaignActivity
from models.schemas.campaign_progress import CampaignProgress
from scheduler.activity.joined import joined_progress
from scheduler.cli.activity_text import activity_lines
from scheduler.cli.progress_text import activity_line
from scheduler.farm_access.farm import Farm

REDRAW_S = 0.5
JSON_S = 1.0
LINE_S = 2.0
"""How often what is shown is renewed: a block on a terminal, JSON, and plain lines elsewhere."""
SILENCE_S = 5.0
"""How long nothing may happen before plain lines say what stands still."""


class CampaignWatch:
    """Follows one campaign, or several as if they were one. `on_look` is called between looks, to
    tend a farm for instance.

    `aside`: on standard error, where standard output is for a result. `as_json`: one JSON object
    for each look, a line each, instead of text.
    """

    def __init__(
        self,
        farm: Farm,
        campaign_id: str | tuple[str, ...],
        on_look: Callable[[], None] | None = None,
        *,
        aside: bool = False,
        as_json: bool = False,
    ) -> None:
        self._farm = farm
        self._clock = SystemClock()
        self._ids = (campaign_id,) if isinstance(campaign_id, str) else campaign_id
        self._on_look = on_look
        self._console = Console(stderr=aside)
        self._lines_to = sys.stderr if aside else sys.stdout
        self._as_json = as_json
        self._moved_at = self._clock.monotonic()
        self._ended: int | None = None
        self._shown_at: float | None = None
        self._last_line: str = ""
        self._until_settled = False
        self._graded_before: int | None = None
        self.first_result_at: float | None = None
        """Monotonic time at which the first graded run was seen; None if there was none."""

    def follow(self, *, until_settled: bool = False) -> CampaignProgress:
        """Show progress until every run has ended; returns the last look.

        With `until_settled` until the scheduler has also closed the campaign, which decides a
        gate. Ends as well where somebody else pauses or cancels the campaign.
        """
        self._until_settled = until_settled
        if self._as_json:
            return self._looks(self._print_json, JSON_S)
        if not self._console.is_terminal:
            return self._looks(self._print_line, LINE_S)
        # The farm is tended between looks by this same thread, so nothing may draw on its own.
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            ended = self._looks(lambda activity: self._redraw(live, activity), REDRAW_S)
        line = activity_line(self._farm.activity.look(self._ids))
        self._console.print(line, highlight=False, soft_wrap=True, markup=False)
        return ended

    def _looks(self, show: Callable[[CampaignActivity], None], every_s: float) -> CampaignProgress:
        """Shows the first look, the last one, and one every `every_s` seconds between them."""
        for parts in self._farm.campaigns.looks(self._ids):
            progress = joined_progress(parts)
            self._note(progress)
            over, now = self._is_over(progress), self._clock.monotonic()
            if over or self._shown_at is None or now - self._shown_at >= every_s:
                self._shown_at = now
                show(self._farm.activity.look(self._ids))
            if over:
                return progress
            if self._on_look:
                self._on_look()
        raise AssertionError("looks have no end")

    def _is_over(self, progress: CampaignProgress) -> bool:
        all_ended = progress.ended >= progress.total and not self._until_settled
        return all_ended or progress.state not in AT_WORK

    def _note(self, progress: CampaignProgress) -> None:
        now = self._clock.monotonic()
        if progress.ended != self._ended:
            self._ended, self._moved_at = progress.ended, now
        if self._graded_before is None:
            self._graded_before = progress.graded
        if progress.graded > self._graded_before and self.first_result_at is None:
            self.first_result_at = now

    def _redraw(self, live: Live, activity: CampaignActivity) -> None:
        fitting = activity_lines(activity)[: max(1, self._console.height - 1)]
        text = Text("\n".join(fitting), overflow="ellipsis", no_wrap=True)
        live.update(text, refresh=True)

    def _print_json(self, activity: CampaignActivity) -> None:
        print(activity.model_dump_json(), flush=True, file=self._lines_to)

    def _print_line(self, activity: CampaignActivity) -> None:
        line = activity_line(activity)
        silent = self._clock.monotonic() - self._moved_at >= SILENCE_S
        if silent and activity.progress.state in AT_WORK:
            line += "".join(f"\n  {one.problem}: {one.remedy}" for one in activity.troubles)
        if line != self._last_line:
            print(line, flush=True, file=self._lines_to)
        self._last_line = line
