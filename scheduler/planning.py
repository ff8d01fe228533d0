"""Plans a campaign: which variants, which cells, and its runs in the order in which they start."""

from collections.abc import Iterator, Mapping, Sequence

from models.errors import InputFault, InvalidInput
from models.messaging.queues import queue_for
from models.schemas.campaign import CampaignSpec
from models.schemas.plan import PlannedCell, PlannedRun
from models.schemas.run import Stage
from models.schemas.task import Variant

ANY = "*"


def resolve_spec(spec: CampaignSpec, offered: Mapping[str, Sequence[str]]) -> CampaignSpec:
    """`spec` with its wildcards spelled out; `offered` maps a task to its languages.

    Raises InvalidInput that lists every unknown name, and every task that has none of the
    languages.
    """
    known = sorted({language for languages in offered.values() for language in languages})
    faults = _unknown("tasks", spec.tasks, sorted(offered))
    faults += _unknown("languages", spec.languages, known)
    tasks = tuple(sorted(offered)) if ANY in spec.tasks else tuple(dict.fromkeys(spec.tasks))
    languages = tuple(known) if ANY in spec.languages else tuple(dict.fromkeys(spec.languages))
    faults += [
        InputFault(
            "languages",
            f"{task} is in none of them",
            f"add one of: {', '.join(have) or 'none is defined in this farm'}",
        )
        for task in tasks
        if (have := offered.get(task)) is not None and not set(have) & set(languages)
    ]
    if not offered:
        faults.append(InputFault("tasks", "the catalogue is empty", "check the catalogue's place"))
    if faults:
        raise InvalidInput(f"campaign {spec.name}", faults)
    return spec.model_copy(update={"tasks": tasks, "languages": languages})


def variants_of(
    spec: CampaignSpec, offered: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, str], ...]:
    """The (task, language) pairs of a resolved `spec`: those that the catalogue has."""
    return tuple(
        (task, language)
        for task in spec.tasks
        for language in spec.languages
        if language in offered[task]
    )


def plan_cells(
    spec: CampaignSpec,
    variants: Sequence[Variant],
    walls: Mapping[tuple[str, str], float] | None = None,
) -> tuple[PlannedCell, ...]:
    """Every system on every variant; the systems of one variant stand side by side.

    `walls` gives the seconds that an agent may work, by (task, language).
    """
    pairs = [(system, variant) for variant in variants for system in spec.systems]
    return tuple(
        PlannedCell(
            position=position,
            system=system,
            variant=variant,
            agent_queue=queue_for(Stage.AGENT, system.agent, variant.language),
            grade_queue=queue_for(Stage.GRADE, system.agent, variant.language),
            agent_wall_s=(walls or {}).get((variant.task, variant.language), 0.0),
        )
        for position, (system, variant) in enumerate(pairs)
    )


def runs_in_order(cells: int, repeats: int, planned: int = 0) -> Iterator[PlannedRun]:
    """The runs of so many cells, by repeat, then cell, without the first `planned`.

    Wherever it is stopped, no cell is more than one run ahead of another.
    """
    for number in range(planned, cells * repeats):
        repeat, position = divmod(number, cells)
        yield PlannedRun(position, repeat + 1)


def _unknown(field: str, names: Sequence[str], known: Sequence[str]) -> list[InputFault]:
    return [
        InputFault(field, f"there is no {name!r}", f"choose among: {', '.join(known)}, or {ANY!r}")
        for name in names
        if name != ANY and name not in known
    ]
