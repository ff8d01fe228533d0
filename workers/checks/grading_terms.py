"""How a gate's subjects are graded beyond what every run is. Pure.

The checks, the code and the order of the report are the same; what differs is recorded in it.
"""

from dataclasses import dataclass

from models.canonical import digest_of
from models.schemas.agents import SUBJECT_AGENT, SubjectSettings
from models.schemas.gate import REFERENCE, control_of
from models.schemas.language import CONTROL_FILE
from models.schemas.run import RunOrder
from workers.checks.check_order import check_order


@dataclass(frozen=True, slots=True)
class GradingTerms:
    """`asked`: the checks in the order in which they are asked, empty for the plan's.

    `wall_cap_s`: no check gets more time, whatever the task's limits are. `builds_afresh`: no
    build from earlier is used, and this one isn't kept. `probes`: the comparators are fed junk
    too. `unbuilt`: names of files that no build reads.
    """

    proves: bool = False
    asked: tuple[str, ...] = ()
    wall_cap_s: float | None = None
    builds_afresh: bool = False
    probes: bool = False
    unbuilt: frozenset[str] = frozenset()


EVALUATION = GradingTerms()


def grading_terms(order: RunOrder, planned: tuple[str, ...]) -> GradingTerms:
    """The terms of one run; `planned` are the checks in plan order.

    The first repeat of the reference is asked in plan order, as every evaluation is, and builds
    afresh: where builds differ from each other, repeats do.
    """
    if order.system.agent != SUBJECT_AGENT:
        return EVALUATION
    settings = SubjectSettings.model_validate(order.system.settings)
    first = settings.subject == REFERENCE and settings.repeat == 1
    seed = digest_of([order.campaign_id, order.universe, settings.subject])
    asked = check_order(planned, seed, settings.repeat)
    return GradingTerms(
        proves=True,
        asked=() if asked == planned else asked,
        wall_cap_s=settings.check_wall_s,
        builds_afresh=first,
        probes=first,
        unbuilt=frozenset({CONTROL_FILE}) if control_of(settings.subject) else frozenset(),
    )
