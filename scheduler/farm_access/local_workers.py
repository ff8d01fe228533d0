"""Workers of the farm whose database is at hand, and what is missing where nothing happens."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.clock import Clock
from models.errors import Refused
from models.schemas.run import RunState
from models.schemas.run_filter import RunFilter
from models.schemas.work_force import WorkForce
from models.schemas.worker import PRESUMED_DEAD_S, Duty, WorkerOrders, WorkerRecord
from models.storage.elections import office_holder
from models.storage.runs import list_runs
from models.storage.transaction import Database
from models.storage.workers import (
    OPERATOR,
    list_workers,
    order_all_workers,
    order_worker,
    runs_at_work,
    workers_called,
)
from scheduler.farm_access.worker_service import ROLES, served_languages

IN_WORK = (RunState.AGENT_LEASED, RunState.GRADE_LEASED)
MOST_RUNS = 1_000


@dataclass(frozen=True)
class LocalWorkers:
    """Keeps `Workers` over a database."""

    database: Database
    clock: Clock

    def force(self, *, everyone: bool = False) -> WorkForce:
        """Workers with what they do and the runs that they have in work."""
        busy: dict[str, tuple[str, ...]] = {}
        with self.database.read() as session:
            held = runs_at_work(session)
            shown = list_workers(session) if everyone else self.living()
            for state in IN_WORK:
                for run in list_runs(session, RunFilter(state=state), limit=MOST_RUNS):
                    name = run.worker or "?"
                    busy[name] = (*busy.get(name, ()), f"{run.id}:{run.label}")
        return WorkForce(
            workers=tuple(shown),
            states={one.name: one.state(len(held.get(one.name, ()))) for one in shown},
            in_work=busy,
            hint=self.hint(()),
        )

    def tell(self, name: str, duty: Duty, reason: str) -> str:
        """Tell one worker."""
        orders = WorkerOrders(duty=duty, reason=reason, by=OPERATOR, since=self.clock.now())
        with self.database.transaction() as session:
            called = workers_called(session, name)
            if name not in called and len(called) > 1:
                raise Refused(
                    f"{name} may be {', '.join(called)}.", remedy="Name one of them with its host."
                )
            worker = name if name in called else next(iter(called), name)
            order_worker(session, worker, orders)
        return worker

    def tell_all(self, duty: Duty) -> Sequence[str]:
        """Tell every living worker."""
        now = self.clock.now()
        orders = WorkerOrders(duty=duty, by=OPERATOR, since=now)
        with self.database.transaction() as session:
            return order_all_workers(session, now - PRESUMED_DEAD_S, orders)

    def busy(self, names: Sequence[str]) -> Sequence[str]:
        """One that is gone is not busy: its leases end by themselves."""
        with self.database.read() as session:
            held = runs_at_work(session)
        known = [worker for worker in self.living() if worker.name in names]
        return [worker.name for worker in known if worker.may_be_busy or held.get(worker.name)]

    def hint(self, languages: Sequence[str]) -> str:
        """What is missing, with what to type."""
        return self._missing_part() or self._unserved(languages)

    def living(self) -> list[WorkerRecord]:
        """Workers that gave a sign of life a short while ago."""
        now = self.clock.now()
        with self.database.read() as session:
            heard = list_workers(session, since=now - PRESUMED_DEAD_S)
        # One that beat in the future beat before the clock was stepped back.
        return [worker for worker in heard if worker.beat_at <= now + PRESUMED_DEAD_S]

    def _is_scheduled(self) -> bool:
        with self.database.read() as session:
            return office_holder(session, self.clock.now()) is not None

    def _missing_part(self) -> str:
        if not self._is_scheduled():
            return (
                "no scheduler is at work: start a farm with `gradefarm up`, or "
                "`gradefarm scheduler`"
            )
        roles = {role for worker in self.living() for role in worker.roles}
        lacking = [role for role in ROLES if role not in roles]
        if len(lacking) == 2:
            return (
                "no worker is at work: start some with `gradefarm worker --role agent` and `grade`"
            )
        if lacking:
            return f"no worker has the role {lacking[0]}: `gradefarm worker --role {lacking[0]}`"
        return ""

    def _unserved(self, languages: Sequence[str]) -> str:
        if not languages:
            return ""
        served = served_languages(self.living())
        lacking = [language for language in languages if language not in served]
        return f"no worker serves {', '.join(lacking)}; see `gradefarm doctor`" if lacking else ""
