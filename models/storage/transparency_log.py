"""The farm's log: workers enter leaves in their own commits, the active scheduler orders them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Row, bindparam, exists, func, insert, literal, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from models.errors import NotFound, Refused
from models.records.log_leaves import restored_leaf
from models.records.log_proof import LogProof
from models.records.merkle import (
    completed,
    consistency_path,
    inclusion_path,
    leaf_hash,
    tree_root,
)
from models.records.signed_note import Checkpoint, read_checkpoint, signed_checkpoint
from models.records.signing_keys import SigningKey
from models.tables.farm_log import FarmLogRow, LogEntryRow, LogNodeRow

ONLY = 1
ENTER = insert(LogEntryRow).values(leaf=bindparam("new_leaf")).returning(LogEntryRow.id)
ENTER_IF_KEPT = insert(LogEntryRow).from_select(
    ["leaf"],
    select(bindparam("new_leaf", type_=LogEntryRow.leaf.type)).where(
        exists(select(literal(1)).select_from(FarmLogRow))
    ),
)
PENDING = (
    select(LogEntryRow.id, LogEntryRow.leaf)
    .where(LogEntryRow.position.is_(None))
    .order_by(LogEntryRow.id)
    .limit(bindparam("at_most"))
)
PLACE = (
    update(LogEntryRow)
    .where(LogEntryRow.id == bindparam("of_entry"), LogEntryRow.position.is_(None))
    .values(position=bindparam("new_position"))
)
STATE = select(FarmLogRow.origin, FarmLogRow.root_key, FarmLogRow.size, FarmLogRow.checkpoint)
LEAF_AT = select(LogEntryRow.leaf).where(LogEntryRow.position == bindparam("at"))
NODE_AT = select(LogNodeRow.hash).where(
    LogNodeRow.level == bindparam("on_level"), LogNodeRow.place == bindparam("at")
)
GROW = (
    update(FarmLogRow)
    .where(FarmLogRow.size == bindparam("old_size"))
    .values(size=bindparam("new_size"), checkpoint=bindparam("new_checkpoint"))
)


@dataclass(frozen=True, slots=True)
class LogState:
    """The log by name, its root key, how many leaves it has, and its newest signed checkpoint."""

    origin: str
    root_key: str
    size: int
    checkpoint: str


def enter_leaf(session: Session, leaf: str) -> int:
    """Enter a leaf, in this commit; returns the entry that it will stand in."""
    return session.connection().execute(ENTER, {"new_leaf": leaf}).scalar_one()


def enter_leaf_if_kept(session: Session, leaf: str) -> None:
    """Enter a leaf where the farm keeps a log."""
    session.connection().execute(ENTER_IF_KEPT, {"new_leaf": leaf})


def enter_restored(session: Session) -> int | None:
    """Enter that the farm was restored from a backup; how many leaves the log had in it, None for
    a farm that kept none."""
    state = log_state(session)
    if state is None:
        return None
    enter_leaf(session, restored_leaf(state.origin, state.size))
    return state.size


def log_state(session: Session) -> LogState | None:
    """How far the log has come, None for a farm that keeps none as yet."""
    row = session.connection().execute(STATE).one_or_none()
    return None if row is None else LogState(*row)


def begin_log(session: Session, origin: str, root_key: str, leaves: Iterable[str]) -> None:
    """Begin a log with the leaves that say who may sign."""
    session.add(FarmLogRow(pk=ONLY, origin=origin, root_key=root_key, size=0, checkpoint=""))
    session.flush()
    for leaf in leaves:
        enter_leaf(session, leaf)


def has_pending(session: Session) -> bool:
    """Whether an entry waits for its place. Reads an index that holds those alone."""
    return session.connection().execute(PENDING, {"at_most": 1}).first() is not None


def order_leaves(session: Session, key: SigningKey, at_most: int) -> int:
    """Give waiting entries their places, oldest first, and sign the tree that they make.

    Returns how many. Costs a few look-ups by key for each, whatever the size of the log. Raises
    Refused where another scheduler did it meanwhile.
    """
    state = log_state(session)
    waiting = session.connection().execute(PENDING, {"at_most": at_most}).all()
    if state is None or not waiting:
        return 0
    try:
        _order(session, key, state, waiting)
    except IntegrityError as error:
        raise _another_orders() from error
    return len(waiting)


def _order(
    session: Session, key: SigningKey, state: LogState, waiting: Sequence[Row[int, str]]
) -> None:
    places = [
        {"of_entry": entry, "new_position": position}
        for position, (entry, _) in enumerate(waiting, state.size)
    ]
    placed = session.connection().execute(PLACE, places).rowcount
    node, size = _remembered(session), state.size
    made: dict[tuple[int, int], bytes] = {}
    for _, leaf in waiting:
        hashed = leaf_hash(leaf.encode())
        node.keep(0, size, hashed)
        for level, place, found in completed(size, hashed, node):
            node.keep(level, place, found)
            made[level, place] = found
        size += 1
    if made:
        session.connection().execute(insert(LogNodeRow), list(_node_rows(made)))
    note = signed_checkpoint(Checkpoint(state.origin, size, tree_root(size, node)), key)
    grown = {"old_size": state.size, "new_size": size, "new_checkpoint": note}
    if session.connection().execute(GROW, grown).rowcount != 1 or placed != len(places):
        raise _another_orders()


def _another_orders() -> Refused:
    return Refused("another scheduler orders the log.", remedy="Nothing to do.")


def _node_rows(made: dict[tuple[int, int], bytes]) -> Iterator[dict[str, object]]:
    for (level, place), found in made.items():
        yield {"level": level, "place": place, "hash": found.hex()}


class _Nodes:
    """Subtrees by (level, index): from the tables, each asked for once."""

    def __init__(self, ask: Callable[[int, int], bytes]) -> None:
        self._ask = ask
        self._known: dict[tuple[int, int], bytes] = {}

    def keep(self, level: int, index: int, found: bytes) -> None:
        self._known[level, index] = found

    def __call__(self, level: int, index: int) -> bytes:
        if (level, index) not in self._known:
            self._known[level, index] = self._ask(level, index)
        return self._known[level, index]


def _remembered(session: Session) -> _Nodes:
    def ask(level: int, index: int) -> bytes:
        if level == 0:
            leaf = session.connection().execute(LEAF_AT, {"at": index}).scalar_one()
            return leaf_hash(leaf.encode())
        found = session.connection().execute(NODE_AT, {"on_level": level, "at": index})
        return bytes.fromhex(found.scalar_one())

    return _Nodes(ask)


def entry_position(session: Session, entry: int) -> int | None:
    """Where an entry stands in the log, None where it waits."""
    found = select(LogEntryRow.position).where(LogEntryRow.id == entry)
    return session.execute(found).scalar_one()


def prove_entry(session: Session, entry: int) -> LogProof:
    """The proof that an entry is in the log, against the newest checkpoint.

    Raises Refused where it waits for its place, NotFound where the farm keeps no log.
    """
    state = known_log(session)
    position = entry_position(session, entry)
    if position is None or position >= state.size:
        raise Refused(
            "the farm's log does not hold this run as yet.",
            remedy="The active scheduler enters it within a second or two: ask again; "
            "`gradefarm up` or `gradefarm scheduler` must run, with the log's key.",
        )
    path = inclusion_path(position, state.size, _remembered(session))
    return LogProof(position, tuple(path), state.checkpoint)


def prove_growth(session: Session, old: int, size: int) -> list[bytes]:
    """The proof that the log, when it had `size` leaves, began with that of `old`; 0 < old <= size,
    which it has reached."""
    return consistency_path(old, size, _remembered(session))


def known_log(session: Session) -> LogState:
    """The log's state. Raises NotFound for a farm that keeps none."""
    state = log_state(session)
    if state is None:
        raise NotFound(
            "this farm keeps no log as yet.",
            remedy="Start it once (`gradefarm up` or `gradefarm scheduler`): it makes its keys.",
        )
    return state


def log_root(session: Session) -> bytes:
    """The root of the newest checkpoint."""
    return read_checkpoint(known_log(session).checkpoint).root


def leaves_between(session: Session, start: int, end: int) -> list[tuple[int, str]]:
    """Leaves with their positions, from position `start` on and before `end`."""
    found = (
        select(LogEntryRow.position, LogEntryRow.leaf)
        .where(LogEntryRow.position >= start, LogEntryRow.position < end)
        .order_by(LogEntryRow.position)
    )
    return [(position, leaf) for position, leaf in session.execute(found) if position is not None]


def pending_about(session: Session, kind: str) -> list[str]:
    """The leaves of a kind that wait for their place."""
    of_kind = LogEntryRow.leaf.contains(f'"kind":"{kind}"', autoescape=True)
    found = select(LogEntryRow.leaf).where(LogEntryRow.position.is_(None), of_kind)
    return list(session.execute(found).scalars())


def leaves_about(session: Session, kind: str) -> list[tuple[int, str]]:
    """The leaves of a kind with the positions that they have or, where nothing else is entered,
    will have; in order. Reads every leaf."""
    of_kind = LogEntryRow.leaf.contains(f'"kind":"{kind}"', autoescape=True)
    found = select(LogEntryRow.position, LogEntryRow.leaf).where(of_kind).order_by(LogEntryRow.id)
    rows = session.execute(found).all()
    placed = sorted((position, leaf) for position, leaf in rows if position is not None)
    waiting = [leaf for position, leaf in rows if position is None]
    return [*placed, *enumerate(waiting, known_log(session).size)]


def pending_leaves(session: Session) -> int:
    """How many entries wait for their place."""
    found = select(func.count()).where(LogEntryRow.position.is_(None))
    return session.execute(found).scalar_one()
