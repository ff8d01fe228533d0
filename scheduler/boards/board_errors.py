"""Why a set of counts can't become a board."""

from collections.abc import Mapping, Sequence

from models.errors import Blame, FarmError, Refused

Variant = tuple[str, str]


class MixedUniverses(Refused):
    """Runs of one variant were scored by different contents, checks or rules."""

    def __init__(self, mixed: Mapping[Variant, Sequence[str]]) -> None:
        self.mixed = {variant: tuple(digests) for variant, digests in mixed.items()}
        named = "; ".join(
            f"{task}/{language}: {' and '.join(digests)}"
            for (task, language), digests in self.mixed.items()
        )
        super().__init__(
            f"The runs come from different universes and can't share a board: {named}.",
            remedy="Regrade the older runs under the newer universe, or pick one campaign.",
        )


class NothingToShow(Refused):
    """There is no cell at all."""

    def __init__(self) -> None:
        super().__init__(
            "There is no cell to build a board from.",
            remedy="Name a campaign that has planned runs.",
        )


class DoubledCell(FarmError):
    """The same system has two counts for the same variant, which would count runs twice."""

    blame = Blame.FARM

    def __init__(self, system: str, variant: Variant) -> None:
        super().__init__(
            f"System {system} has two counts for {variant[0]}/{variant[1]}.",
            remedy="Add the counts of all campaigns per cell before building the board.",
        )


class ContradictorySystem(FarmError):
    """One system id goes by two names, or is scripted in one cell and not in another."""

    blame = Blame.FARM

    def __init__(self, system_id: str, descriptions: Sequence[str]) -> None:
        super().__init__(
            f"System {system_id} is described in different ways: {'; '.join(descriptions)}.",
            remedy="Use one name for one set of settings, or build one board per campaign.",
        )
