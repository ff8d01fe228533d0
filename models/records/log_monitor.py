"""What anybody who reads the whole log can say of it: who was opened and never closed, and who
was opened or closed more often than the rules allow."""

from dataclasses import dataclass, field

from models.records.log_leaves import leaf_name, read_leaf
from models.records.refusal import RecordRefused
from models.schemas.log_leaf import (
    FarmLeaf,
    KeyLeaf,
    RestoredLeaf,
    RunCloseLeaf,
    RunLeaf,
    RunOpenLeaf,
    RunRegradeLeaf,
    RunVoidLeaf,
)


@dataclass(slots=True)
class LogFindings:
    """Figures and faults of a log. `open` are runs that are at work, or were abandoned; `restored`
    how many leaves it had when a backup was restored, for each time."""

    opened: int = 0
    closed: int = 0
    regraded: int = 0
    void: int = 0
    open: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    restored: list[int] = field(default_factory=list[int])
    faults: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Opening:
    """`gradings` are the names of the leaves that closed it, or that graded it again."""

    run: str
    attempt: int
    closed: bool = False
    gradings: set[str] = field(default_factory=set[str])


class LogMonitor:
    """Reads the leaves of a log in their order, and knows what they say."""

    def __init__(self) -> None:
        self._found = LogFindings()
        self._openings: dict[str, _Opening] = {}
        self._attempts: dict[tuple[str, int], _Opening] = {}
        self._void: set[tuple[str, int]] = set()
        self._graded: dict[str, int] = {}

    def finished(self) -> LogFindings:
        """What there is to say of the leaves until here."""
        self._found.open = [
            (one.run, one.attempt)
            for one in self._openings.values()
            if not one.gradings and (one.run, one.attempt) not in self._void
        ]
        return self._found

    def take(self, position: int, leaf: str) -> None:
        """Go on by one leaf. One that no farm writes is a fault."""
        try:
            self._take(read_leaf(leaf), leaf_name(leaf), position)
        except RecordRefused as strange:
            self._found.faults.append(f"at {position}: {strange.message.removesuffix('.')}")

    def _take(self, leaf: RunLeaf | FarmLeaf, name: str, position: int) -> None:
        """`TrustReader` reads those of keys."""
        match leaf:
            case RunOpenLeaf():
                self._open(leaf, name, position)
            case RunVoidLeaf():
                self._end(leaf, position)
            case RunCloseLeaf():
                self._close(leaf, name, position)
            case RunRegradeLeaf():
                self._regrade(leaf, name, position)
            case RestoredLeaf():
                self._restore(leaf, position)
            case KeyLeaf():
                pass

    def _open(self, leaf: RunOpenLeaf, name: str, position: int) -> None:
        attempt = (leaf.run, leaf.attempt)
        self._found.opened += 1
        if attempt in self._attempts:
            self._fault(leaf.run, f"attempt {leaf.attempt} was opened again", position)
        elif attempt in self._void:
            self._fault(leaf.run, f"attempt {leaf.attempt} was opened when void", position)
        self._attempts[attempt] = self._openings[name] = _Opening(*attempt)

    def _end(self, leaf: RunVoidLeaf, position: int) -> None:
        attempt = (leaf.run, leaf.attempt)
        opening = self._attempts.get(attempt)
        self._found.void += 1
        if attempt in self._void:
            self._fault(leaf.run, f"attempt {leaf.attempt} was void again", position)
        elif opening is not None and opening.gradings:
            self._fault(leaf.run, f"attempt {leaf.attempt} was void after it was closed", position)
        self._void.add(attempt)

    def _close(self, leaf: RunCloseLeaf, name: str, position: int) -> None:
        self._found.closed += 1
        opening = self._graded_opening(leaf, leaf.run, position)
        if opening is not None:
            opening.closed = True
            opening.gradings.add(name)

    def _regrade(self, leaf: RunRegradeLeaf, name: str, position: int) -> None:
        self._found.closed += 1
        self._found.regraded += 1
        opening = self._graded_opening(leaf, leaf.graded_as, position)
        if opening is None:
            return
        if leaf.graded_as == leaf.run:
            self._fault(leaf.run, "was graded again as itself", position)
        if leaf.earlier and leaf.earlier not in opening.gradings:
            self._fault(leaf.run, "names an earlier closing that is not there", position)
        elif not leaf.earlier and opening.closed:
            self._fault(leaf.run, "was closed again, and names no earlier", position)
        opening.gradings.add(name)

    def _restore(self, leaf: RestoredLeaf, position: int) -> None:
        self._found.restored.append(leaf.size)
        if leaf.size > position:
            self._found.faults.append(
                f"at {position}: restored with {leaf.size} leaves, of which "
                "it did not have the last"
            )

    def _graded_opening(
        self, leaf: RunCloseLeaf | RunRegradeLeaf, graded_as: str, position: int
    ) -> _Opening | None:
        """The opening of a grading, None where there is none. A run is graded once: under one of
        its openings, and that not void."""
        opening = self._openings.get(leaf.opened)
        if opening is None or opening.run != leaf.run:
            self._fault(leaf.run, "was closed without an opening before it", position)
            return None
        if (opening.run, opening.attempt) in self._void:
            self._fault(leaf.run, "was closed after its attempt was void", position)
        if graded_as in self._graded:
            before = self._graded[graded_as]
            self._fault(graded_as, f"was closed again, after {before}", position)
        self._graded[graded_as] = position
        return opening

    def _fault(self, run: str, problem: str, position: int) -> None:
        self._found.faults.append(f"at {position}: run {run[:20]!r}: {problem}")
