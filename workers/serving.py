"""What one worker serves at each moment, and how it comes to serve more, less or nothing."""

from collections.abc import Iterable

from models.clock import SystemClock
from models.errors import Refused
from models.messaging.broker_protocols import WorkerConsumer
from models.messaging.queues import agent_queue, grade_queue, subject_queue
from models.migrations.upgrade import wait_for_database
from models.protocol import PROTOCOL
from models.pulse import Pulse
from models.schemas.worker import Duty
from models.storage.transaction import open_database
from workers.ending import Ending, stages_at_work
from workers.farm_line import FarmLine
from workers.fitness import LOOK_EVERY_S, RestingLanguages
from workers.hands import WorkerPlan
from workers.languages.language_runtime import LanguageRuntime
from workers.late_languages import LateLanguages
from workers.pulse import alive_file
from workers.registration import Company, Registration, Standing, reason_for_quarantine
from workers.role import Role
from workers.worker_log import log_event

DATABASE_PATIENCE_S = 30.0
LOOK_S = 0.25


def queues_of(role: Role, languages: Iterable[str]) -> tuple[str, ...]:
    """The queues that a worker of `role` serves, grading first within each language."""
    kinds = {"agent": (agent_queue,), "grade": (grade_queue, subject_queue)}
    names = [kind for stage in reversed(role.stages) for kind in kinds[stage]]
    return tuple(kind(language) for language in sorted(languages) for kind in names)


class Service:
    """The languages that are ready, each late one as it gets ready, none in which stages are void
    again and again; nothing for a worker that was told so, that ends, or that is out of date."""

    def __init__(self, plan: WorkerPlan, role: Role, registration: Registration) -> None:
        self._plan = plan
        self._role = role
        self._registration = registration
        self._languages = dict(plan.languages)
        self._late = LateLanguages(plan.cold)
        self._resting = RestingLanguages(plan.fitness)
        self._clock = SystemClock()
        self._pulse = Pulse(alive_file(plan.settings.home, plan.name))
        self._line = FarmLine(registration, self._pulse)
        self._said: Duty | None = None
        self._consumed: set[str] = set()
        self._look_at = 0.0
        self._in_doubt = False
        self._seen: Company | None = None
        self.ending = Ending(plan.recall, plan.settings.shutdown_s)

    @property
    def queues(self) -> tuple[str, ...]:
        """The queues that are served now."""
        serves = self.duty is Duty.SERVE and not self.ending.begun and not self.is_outdated
        return queues_of(self._role, self._served()) if serves else ()

    @property
    def duty(self) -> Duty:
        """What this worker was last told to do."""
        return self._line.told.duty

    @property
    def is_outdated(self) -> bool:
        """Whether the farm has moved on to another version."""
        return self._line.told.protocol not in (None, PROTOCOL)

    def _served(self) -> dict[str, LanguageRuntime]:
        return {n: r for n, r in self._languages.items() if n not in self._resting.names}

    def begin(self) -> None:
        """Start to warm what is cold; register as soon as the database is there.

        Raises Refused where there is none in time, or where the farm is of another version.
        """
        self._late.start()
        settings = self._plan.settings
        database = open_database(settings.database_url, answer_s=settings.lease.answer_s)
        try:
            wait_for_database(database, DATABASE_PATIENCE_S)
        finally:
            database.close()
        self._pulse.beat()
        self._line.begin(self._standing())
        self._consumed = set(self.queues)

    def watch(self, sender: WorkerConsumer, **_: object) -> None:
        """The worker consumes: from now on it looks after itself."""
        sender.timer.call_repeatedly(LOOK_S, lambda: self.look(sender))
        self.ending.listen()

    def wait_for_broker(self) -> None:
        """The main loop stands still, because there is no broker."""
        self._pulse.beat()
        self.ending.without_broker()

    def look(self, consumer: WorkerConsumer) -> None:
        """Bring about what is to be by now. Called a few times a second, from the main loop."""
        self._pulse.beat()
        self._late.poll(self._take_up)
        if self._clock.monotonic() >= self._look_at:
            self._look_at = self._clock.monotonic() + LOOK_EVERY_S
            self._look_at_fitness()
        self._look_at_duty()
        self._consume(consumer)
        self._line.tell(self._standing())
        self.ending.carry_out(stages_at_work())

    def close(self) -> None:
        """The worker has ended in order. Raises Refused where that is because it is out of date."""
        self._line.close()
        self._pulse.end()
        if self.is_outdated:
            raise Refused(
                f"the farm has moved on to protocol {self._line.told.protocol}, and this worker "
                f"speaks {PROTOCOL}.",
                remedy="Install the version of gradefarm that the farm has, and start again.",
            )

    def _take_up(self, runtime: LanguageRuntime) -> None:
        self._languages[runtime.definition.id] = runtime

    def _look_at_duty(self) -> None:
        """Say what has changed; a worker that is out of date ends once nothing is at work."""
        if self._said is not self.duty:
            if self._said is not None or self.duty is not Duty.SERVE:
                log_event("told", self._clock.now(), worker=self._plan.name, duty=self.duty)
            self._said = self.duty
        if self.is_outdated and not self.ending.begun:
            theirs = self._line.told.protocol
            log_event("outdated", self._clock.now(), farm_protocol=theirs, protocol=PROTOCOL)
            self.ending.ask()

    def _look_at_fitness(self) -> None:
        """Stop to take work in languages that fail, and try again those that have rested."""
        change = self._resting.look(self._clock.monotonic(), self._others_serve)
        for language in change.stop:
            last = self._plan.fitness.last_void(language)
            remedy = "see stage_void above; what was mended is proved when the worker starts again"
            why = {"category": last.category, "detail": last.detail}
            now = self._clock.now()
            log_event("language_rests", now, language=language, **why, remedy=remedy)
        for language in change.resume:
            log_event("language_tried_again", self._clock.now(), language=language)
        self._in_doubt = self._in_doubt or bool(change.stop)
        if self._in_doubt:
            self._in_doubt = self._is_to_be_judged()
        self._seen = None

    def _is_to_be_judged(self) -> bool:
        """Go into quarantine where others show that it can be done; whether that is unknown yet."""
        if self.duty is not Duty.SERVE or not self._resting.is_of_no_use(self._languages):
            return False
        if (company := self._company()) is None:
            return True
        fitness = self._plan.fitness
        since = min(fitness.last_void(name).first_at for name in self._resting.names)
        if company.does_better(queues_of(self._role, self._languages), since):
            self._line.condemn(reason_for_quarantine(fitness, sorted(self._resting.rests.items())))
        return False

    def _company(self) -> Company | None:
        """The other workers, the same ones for all that one look is about."""
        self._seen = self._seen or self._line.company()
        return self._seen

    def _others_serve(self, language: str) -> bool | None:
        company = self._company()
        return None if company is None else company.serves(queues_of(self._role, (language,)))

    def _consume(self, consumer: WorkerConsumer) -> None:
        wanted = set(self.queues)
        for queue in sorted(self._consumed - wanted):
            consumer.cancel_task_queue(queue)
        for queue in sorted(wanted - self._consumed):
            consumer.add_task_queue(queue)
        self._consumed = wanted

    def _standing(self) -> Standing:
        served = self._served()
        return Standing(
            queues=self.queues,
            toolchains=tuple((name, runtime.identity) for name, runtime in sorted(served.items())),
            warming=tuple(sorted(self._late.warming)),
            rests=tuple(sorted(self._resting.rests.items())),
            obeys=self.duty,
            ending=self.ending.begun,
        )
