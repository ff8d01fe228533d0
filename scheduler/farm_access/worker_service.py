"""What workers serve, as they report it. Pure."""

from collections.abc import Sequence

from models.schemas.worker import WorkerRecord

ROLES = ("agent", "grade")


def served_languages(workers: Sequence[WorkerRecord]) -> set[str]:
    """The languages that `workers` serve, or are about to serve, in both stages."""
    able = [{one for w in workers if role in w.roles for one in w.able} for role in ROLES]
    return able[0].intersection(*able[1:])


def serving_tools(workers: Sequence[WorkerRecord]) -> dict[str, set[tuple[str, str]]]:
    """The toolchains and isolations that `workers` grade each language with.

    Languages that are only made ready are left out.
    """
    found: dict[str, set[tuple[str, str]]] = {}
    for worker in workers:
        for language, toolchain in worker.toolchains.items() if "grade" in worker.roles else ():
            found.setdefault(language, set()).add((toolchain, worker.isolation))
    return found


def split_by_service(
    workers: Sequence[WorkerRecord], variants: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Variants that `workers` serve or will serve, and the languages that none does.

    Where there is no worker, all are served: whoever starts one later does it.
    """
    if not workers:
        return list(variants), ()
    able = served_languages(workers)
    served = [variant for variant in variants if variant[1] in able]
    return served, tuple(sorted({language for _, language in variants if language not in able}))
