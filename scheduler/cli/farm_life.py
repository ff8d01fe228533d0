"""Whether a farm is at work: a scheduler, workers, and what to type where one is missing."""

from collections.abc import Sequence

from models.schemas.worker import PRESUMED_DEAD_S, WorkerRecord
from models.storage.elections import office_holder
from models.storage.gates import ProvingTools
from models.storage.workers import list_workers
from scheduler.cli.farm_access import FarmAccess

ROLES = ("agent", "grade")


def living_workers(farm: FarmAccess) -> list[WorkerRecord]:
    """Workers that gave a sign of life a short while ago."""
    now = farm.clock.now()
    with farm.database.read() as session:
        heard = list_workers(session, since=now - PRESUMED_DEAD_S)
    # One that beat in the future beat before the clock was stepped back.
    return [worker for worker in heard if worker.beat_at <= now + PRESUMED_DEAD_S]


def served_languages(workers: Sequence[WorkerRecord]) -> set[str]:
    """The languages that `workers` serve, or are about to serve, in both stages."""
    able = [{one for w in workers if role in w.roles for one in w.able} for role in ROLES]
    return able[0].intersection(*able[1:])


def serving_tools(workers: Sequence[WorkerRecord]) -> dict[str, set[ProvingTools]]:
    """What `workers` grade each language with; languages that are only made ready are left out."""
    found: dict[str, set[ProvingTools]] = {}
    for worker in workers:
        for language, toolchain in worker.toolchains.items() if "grade" in worker.roles else ():
            found.setdefault(language, set()).add((toolchain, worker.isolation))
    return found


def unserved_hint(farm: FarmAccess, languages: Sequence[str]) -> str:
    """Which of `languages` no living worker serves, in words; empty where none is left out."""
    served = served_languages(living_workers(farm))
    lacking = [language for language in languages if language not in served]
    return f"no worker serves {', '.join(lacking)}; see `gradefarm doctor`" if lacking else ""


def is_scheduled(farm: FarmAccess) -> bool:
    """Whether a scheduler is in office."""
    with farm.database.read() as session:
        return office_holder(session, farm.clock.now()) is not None


def what_is_missing(farm: FarmAccess) -> str:
    """In words, what keeps the farm from working; empty where nothing does."""
    if not is_scheduled(farm):
        return "no scheduler is at work: start a farm with `gradefarm up`, or `gradefarm scheduler`"
    roles = {role for worker in living_workers(farm) for role in worker.roles}
    lacking = [role for role in ROLES if role not in roles]
    if len(lacking) == 2:
        return "no worker is at work: start some with `gradefarm worker --role agent` and `grade`"
    if lacking:
        return f"no worker has the role {lacking[0]}: `gradefarm worker --role {lacking[0]}`"
    return ""
