"""One storm: campaigns over a farm while faults strike it, drawn from a seed."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from models.clock import SystemClock
from models.schemas.campaign import CampaignSpec
from models.storage.campaigns import campaign_progress
from scheduler.campaign_lifecycle import start_campaign
from tasks_catalog.catalog import open_catalog
from tests.chaos.faults import (
    ACTIVE,
    FAULTS,
    NEEDS_CLOCK,
    NEEDS_DISK,
    WORKER,
    Aim,
    Fault,
    Strike,
)
from tests.chaos.planted_systems import (
    failing_campaign,
    good_campaign,
    limited_campaign,
    steered_campaign,
)
from tests.chaos.steering import Steering
from tests.chaos.storm_farm import FarmProcess, NoTarget, StormFarm

LANES = 3
"""Faults at the same time."""
LOOK_EVERY_S = 0.1
FAULTS_IN_WAVE = 8
FAILING_SHARE = 0.12
ENCORE_RUNS = 20
STALLED_AFTER_S = 150.0
"""Beyond every lease, term, slot and rest: whoever has not moved by then is stuck."""


@dataclass(frozen=True)
class StormPlan:
    """How large a storm is; the same seed draws the same faults."""

    runs: int
    faults: int
    seed: int

    @property
    def waves(self) -> int:
        """Campaigns come in so many pairs, so that some begin in the middle of faults."""
        return max(1, self.faults // FAULTS_IN_WAVE)


@dataclass
class Storm:
    """A storm under way; `say` is told now and then how far it is."""

    farm: StormFarm
    plan: StormPlan
    say: Callable[[str], None]
    strikes: list[Strike] = field(default_factory=list[Strike])
    campaigns: set[str] = field(default_factory=set[str])
    planned: int = 0
    lasted_s: float = 0.0
    errors: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self._dice = random.Random(self.plan.seed)
        self._ended_of: dict[str, int] = {}
        self._over: set[str] = set()
        self._waves = 0
        self._acting: list[threading.Thread] = []
        self._steering: list[threading.Thread] = []
        self._servers: Counter[str] = Counter()
        self.steering = Steering(self.farm.database)
        self._todo = self._draw()
        self._all = len(self._todo)
        tasks, languages = self.farm.catalog
        self._catalog = open_catalog(tasks, tasks, languages)

    def _draw(self) -> list[Fault]:
        able = [each for each in FAULTS if self._is_possible(each)]
        rest = max(0, self.plan.faults - len(able))
        drawn = able + [self._dice.choice(able) for _ in range(rest)]
        self._dice.shuffle(drawn)
        return drawn

    def _is_possible(self, fault: Fault) -> bool:
        if fault.kind in NEEDS_DISK:
            return self.farm.has_disks
        return fault.kind not in NEEDS_CLOCK or self.farm.has_clocks

    def run(self) -> None:
        """Let everything happen; returns when all runs have ended and all faults are over."""
        began = time.monotonic()
        self._follow()
        self.lasted_s = time.monotonic() - began

    def _follow(self) -> None:
        moved_at, last = time.monotonic(), -1
        told_at = 0.0
        while True:
            ended = self._look()
            if ended != last or self._acting:
                moved_at, last = time.monotonic(), ended
            self._begin_waves(ended)
            self._begin_faults(ended)
            if self._waves == self.plan.waves and ended >= self.planned and not self._busy():
                return
            if time.monotonic() - moved_at > STALLED_AFTER_S:
                self.errors.append(f"nothing moved for {STALLED_AFTER_S:g} s")
                return
            if time.monotonic() - told_at > 10:
                told_at = time.monotonic()
                self.say(f"{ended}/{self.plan.runs} runs, {len(self.strikes)}/{self._all} faults")
            time.sleep(LOOK_EVERY_S)

    def _busy(self) -> bool:
        self._acting = [each for each in self._acting if each.is_alive()]
        return bool(self._acting or self._todo or any(each.is_alive() for each in self._steering))

    def _look(self) -> int:
        """How many runs have ended; the database may be away."""
        with suppress(Exception), self.farm.database.read() as session:
            for campaign in self.campaigns - self._over:
                progress = campaign_progress(session, campaign)
                self._ended_of[campaign] = progress.ended
                if progress.ended == progress.total:
                    self._over.add(campaign)
        return sum(self._ended_of.values())

    def _begin_waves(self, ended: int) -> None:
        """The next wave comes when the last is nearly over, and its faults have begun.

        After the last wave there is a little more to do as long as there are faults to come: one
        that hits an idle farm shows nothing.
        """
        if self._waves == self.plan.waves:
            if self._todo and ended >= self.planned:
                self._start(good_campaign("encore", ENCORE_RUNS))
            return
        size = self.plan.runs / self.plan.waves
        faults_begun = self._all - len(self._todo)
        if self._waves and (
            ended < self.planned - size / 4
            or faults_begun < self._all * self._waves / self.plan.waves - 1
        ):
            return
        last = self._waves + 1 == self.plan.waves
        if not self._waves and not self._start_steered():
            return
        left = max(1, self.plan.runs - self.planned) if last else size
        failing = failing_campaign("planted", round(left * FAILING_SHARE))
        failing_runs = failing.repeats * len(failing.systems)
        good = good_campaign("storm", round(left) - failing_runs)
        if self._start(good, failing):
            self._waves += 1

    def _start_steered(self) -> bool:
        """Start, with the first wave, what has limits and what people give orders for."""
        if not self._start(
            limited_campaign("limited"), steered_campaign("paused"), steered_campaign("cancelled")
        ):
            return False
        of_name = {campaign.rpartition("-")[0]: campaign for campaign in self.campaigns}
        for order, name in (
            (self.steering.pause_twice, "paused"),
            (self.steering.cancel, "cancelled"),
        ):
            thread = threading.Thread(target=self._steer, args=(order, of_name[name]), daemon=True)
            self._steering.append(thread)
            thread.start()
        return True

    def _steer(self, order: Callable[[str], None], campaign: str) -> None:
        try:
            order(campaign)
        except Exception as error:
            self.errors.append(f"orders for {campaign}: {type(error).__name__}: {error}")

    def _start(self, *specs: CampaignSpec) -> bool:
        """Start campaigns; false where the database was away."""
        with suppress(Exception):
            for spec in specs:
                campaign = start_campaign(
                    self.farm.database, self._catalog, spec, SystemClock(), unproven=True
                )
                self.campaigns.add(campaign)
                self.planned += spec.repeats * len(spec.systems)
            return True
        return False

    def _begin_faults(self, ended: int) -> None:
        """Faults are spread over the runs, with a few at a time."""
        begun = self._all - len(self._todo)
        self._busy()
        due = ended + 1 >= 0.95 * self.plan.runs * begun / max(1, self._all)
        if not self._todo or not due or len(self._acting) >= LANES:
            return
        for fault in self._todo[: 2 * LANES]:
            if self._begin(fault):
                self._todo.remove(fault)
                return

    def _begin(self, fault: Fault) -> bool:
        target = self._target(fault)
        if target is None and fault.on in (WORKER, ACTIVE):
            return False
        if target is None:
            if self._servers[fault.on]:
                return False
            self._servers[fault.on] += 1
        dice = random.Random(self._dice.random())
        thread = threading.Thread(target=self._strike, args=(fault, target, dice), daemon=True)
        self._acting.append(thread)
        thread.start()
        return True

    def _target(self, fault: Fault) -> FarmProcess | None:
        """One that no other fault is busy with; it is then."""
        if fault.on == ACTIVE:
            with suppress(Exception):
                active = self.farm.in_office()
                if active is not None and active.busy.acquire(blocking=False):
                    return active
            return None
        if fault.on != WORKER:
            return None
        workers = list(self.farm.workers)
        self._dice.shuffle(workers)
        return next((each for each in workers if each.busy.acquire(blocking=False)), None)

    def _strike(self, fault: Fault, target: FarmProcess | None, dice: random.Random) -> None:
        workers = tuple(each.name for each in self.farm.workers) if fault.touches_all else ()
        if fault.on == WORKER and target is not None:
            workers = (target.name,)
        strike = Strike(
            fault.kind, target.name if target else fault.on, time.time(), fault.blame, workers
        )
        try:
            strike.note = fault.act(Aim(self.farm, target, dice)) or ""
            self.strikes.append(strike)
        except NoTarget:
            self._todo.append(fault)
        except Exception as error:
            self.errors.append(f"{fault.kind}: {type(error).__name__}: {error}")
        finally:
            strike.ended = time.time()
            if target is not None:
                target.busy.release()
            else:
                self._servers[fault.on] -= 1


def storm_root() -> Path:
    """A new folder, in reach of the users that sandboxes and PostgreSQL run as."""
    root = Path("/var/tmp") / f"gradefarm-storm-{time.time_ns() % 10**10}"
    root.mkdir(mode=0o755)
    return root
