"""What this machine can do: its sandbox, tried out, and its languages, proved in it.

Imports nothing of the database and of Celery: a worker loads those while this is going on.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from models.errors import InputFault, InvalidInput, Refused
from models.schemas.isolation_label import isolation_label
from models.schemas.language import LanguageDefinition
from models.settings import Settings, search_path
from tasks_catalog.catalog import open_catalog
from workers.farm_sandbox import open_sandbox
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import ProvingGround, Survey, Unready, survey_languages
from workers.memory_need import MemoryNeed, memory_need
from workers.sandbox.isolation import Isolation
from workers.sandbox.machine_memory import usable_memory_bytes
from workers.temporary_files import keep_temporary_files


@dataclass(frozen=True, slots=True)
class Machine:
    """What a probe found: languages by id, those that can't be served, the sandbox.

    `cold` languages have their tools here; a worker proves them while it is at work.
    """

    languages: dict[str, LanguageRuntime]
    cold: dict[str, LanguageRuntime]
    unready: tuple[Unready, ...]
    isolation: Isolation
    memory: MemoryNeed

    @property
    def isolation_label(self) -> str:
        """What is recorded with each result: the driver, with all that it could not prove."""
        lacking = [ability.name for ability in self.isolation.missing()]
        return isolation_label(self.isolation.driver, lacking)


def probe_machine(
    settings: Settings, only: tuple[str, ...] = (), *, leave_compiled: bool = False
) -> Machine:
    """Prove sandbox and languages (`only` these, else all) on this machine.

    With `leave_compiled`, languages with a compiler are left to be proved later.

    Raises Refused where the sandbox can't be trusted and the settings don't allow that;
    InvalidInput for a language that is not defined.
    """
    keep_temporary_files(settings.scratch)
    catalog = open_catalog(settings.catalog_public, None, settings.languages)
    wanted = _wanted(catalog.languages(), only)
    memory = memory_need(usable_memory_bytes(), catalog.public_manifests(), wanted)
    # Each in a slot of its own; both threads are gone before anything forks.
    with ThreadPoolExecutor(max_workers=1) as beside:
        survey = beside.submit(_survey, settings, wanted, leave_compiled=leave_compiled)
        isolation = _try_sandbox(settings)
        found = survey.result()
    _refuse_without_isolation(isolation, settings)
    return Machine(found.ready, found.cold, found.unready, isolation, memory)


def _wanted(
    definitions: Mapping[str, LanguageDefinition], only: tuple[str, ...]
) -> list[LanguageDefinition]:
    unknown = sorted(set(only) - set(definitions))
    if unknown:
        known = ", ".join(definitions)
        faults = [
            InputFault("languages", f"{name} is not defined", f"known: {known}") for name in unknown
        ]
        raise InvalidInput("worker", faults)
    return [d for name, d in definitions.items() if not only or name in only]


def _try_sandbox(settings: Settings) -> Isolation:
    sandbox = open_sandbox(settings)
    try:
        return sandbox.probe()
    finally:
        sandbox.close()


def _survey(
    settings: Settings, wanted: Iterable[LanguageDefinition], *, leave_compiled: bool
) -> Survey:
    sandbox = open_sandbox(settings)
    try:
        ground = ProvingGround(sandbox, settings.scratch, search_path())
        return survey_languages(wanted, ground, leave_compiled=leave_compiled)
    finally:
        sandbox.close()


def _refuse_without_isolation(isolation: Isolation, settings: Settings) -> None:
    if isolation.complete or settings.allow_unisolated:
        return
    missing = "; ".join(f"{ability.name}: {ability.remedy}" for ability in isolation.missing())
    raise Refused(
        f"the sandbox ({isolation.driver}) can't contain judged code here: {missing}.",
        remedy="Mend that, or accept it for work that nobody will publish with "
        "GRADEFARM_ALLOW_UNISOLATED=true.",
    )
