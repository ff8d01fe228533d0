"""Carries out steps."""

from collections.abc import Callable, Iterable

from booking.refusal import Refused
from booking.state import State, Transaction
from booking.step import Step, parse
from booking.venue import Seat, Venue


class Desk:
    """Answers one line after the other.

    A step works on a copy of the state, which replaces the state if the step is carried out: a
    refused step must leave no trace, not even of the time that passed before it was judged.
    """

    def __init__(self) -> None:
        self._state = State()

    def answer(self, line: str) -> list[str]:
        """The answer line of a step, with its event lines around it."""
        try:
            step = parse(line)
            state = self._state.copy()
            lines = _carry_out(state, step)
        except Refused as refusal:
            return [str(refusal)]
        self._state = state
        return lines


def _carry_out(state: State, step: Step) -> list[str]:
    if step.operation == "venue":
        return [_open_venue(state, step)]
    if step.at < state.clock:
        raise Refused("time_backwards")
    lines = state.advance(step.at)
    lines.append(_answer(state, step))
    for venue in state.venues.values():
        lines += state.promote(venue, step.at)
    return lines


def _answer(state: State, step: Step) -> str:
    if step.operation == "begin":
        return _begin(state, step)
    if step.operation == "confirm" and (step.client, step.ticket) in state.tickets:
        return _confirm_again(state, step)
    transaction = state.transactions.get(step.client)
    if transaction is None:
        raise Refused("not_open")
    return OPERATIONS[step.operation](state, transaction, state.venues[transaction.venue], step)


def _open_venue(state: State, step: Step) -> str:
    if step.venue in state.venues:
        raise Refused("venue_exists")
    seats = [Seat(row, number) for row, count in step.rows for number in range(1, count + 1)]
    state.venues[step.venue] = Venue(step.venue, step.limit, seats)
    return f"ok {len(seats)}"


def _begin(state: State, step: Step) -> str:
    if step.venue not in state.venues:
        raise Refused("unknown_venue")
    if step.client in state.transactions:
        raise Refused("already_open")
    state.transactions[step.client] = Transaction(step.venue)
    return "ok"


def _read(state: State, transaction: Transaction, venue: Venue, step: Step) -> str:
    seats = _find(venue, step)
    for seat in seats:
        transaction.learn(seat)
    return _ok(f"{seat.name}={seat.status}/{seat.version}" for seat in seats)


def _hold(state: State, transaction: Transaction, venue: Venue, step: Step) -> str:
    if step.until <= step.at:
        raise Refused("not_later")
    seats = _find(venue, step)
    if venue.would_exceed(step.client, step.wished):
        raise Refused("over_limit")
    for seat in seats:
        if not seat.is_free():
            raise Refused("taken", seat.name)
    if step.together:
        seats = venue.side_by_side(step.together)
        if not seats:
            raise Refused("no_room")
    for seat in seats:
        seat.hold(step.client, step.until)
        transaction.learn(seat)
    return _ok(seat.name for seat in seats)


def _extend(state: State, transaction: Transaction, venue: Venue, step: Step) -> str:
    seats = _find_held(venue, step)
    for seat in seats:
        if step.until <= seat.until:
            raise Refused("not_longer", seat.name)
    for seat in seats:
        seat.until = step.until
    return _ok(step.seats)


def _release(state: State, transaction: Transaction, venue: Venue, step: Step) -> str:
    for seat in _find_held(venue, step):
        seat.free()
        transaction.learn(seat)
    return _ok(step.seats)


def _confirm(state: State, transaction: Transaction, venue: Venue, step: Step) -> str:
    seats = _find(venue, step)
    for seat in seats:
        if seat.name not in transaction.known:
            raise Refused("not_read", seat.name)
    if len(venue.booked_by(step.client)) + len(seats) > venue.limit:
        raise Refused("over_limit")
    for seat in seats:
        if seat.version != transaction.known[seat.name]:
            raise Refused("lost_update", seat.name)
    for seat in seats:
        if not seat.is_free() and not seat.is_held_by(step.client):
            raise Refused("taken", seat.name)
    for seat in seats:
        seat.book(step.client)
    state.tickets[step.client, step.ticket] = step.seats
    _end(state, venue, step.client)
    return _ok(step.seats)


def _confirm_again(state: State, step: Step) -> str:
    if state.tickets[step.client, step.ticket] != step.seats:
        raise Refused("ticket_used")
    return _ok(step.seats)


def _cancel(state: State, transaction: Transaction, venue: Venue, step: Step) -> str:
    return _ok(_end(state, venue, step.client))


def _wait(state: State, transaction: Transaction, venue: Venue, step: Step) -> str:
    if venue.is_waiting(step.client):
        raise Refused("already_waiting")
    _find(venue, step)
    if venue.would_exceed(step.client, step.wished):
        raise Refused("over_limit")
    if venue.available(step):
        raise Refused("not_needed")
    venue.waiting.append(step)
    return f"ok {len(venue.waiting)}"


OPERATIONS: dict[str, Callable[[State, Transaction, Venue, Step], str]] = {
    "read": _read,
    "hold": _hold,
    "extend": _extend,
    "release": _release,
    "confirm": _confirm,
    "cancel": _cancel,
    "wait": _wait,
}


def _end(state: State, venue: Venue, client: str) -> list[str]:
    """End the client's transaction; return the names of the seats that this frees."""
    seats = venue.held_by(client)
    for seat in seats:
        seat.free()
    venue.forget_wish(client)
    del state.transactions[client]
    return [seat.name for seat in seats]


def _find(venue: Venue, step: Step) -> list[Seat]:
    seats: list[Seat] = []
    for name in step.seats:
        seat = venue.find(name)
        if seat is None:
            raise Refused("unknown_seat", name)
        seats.append(seat)
    return seats


def _find_held(venue: Venue, step: Step) -> list[Seat]:
    seats = _find(venue, step)
    for seat in seats:
        if not seat.is_held_by(step.client):
            raise Refused("not_held", seat.name)
    return seats


def _ok(parts: Iterable[str]) -> str:
    return " ".join(["ok", *parts])
