"""A venue: its seats and its waiting list."""

from dataclasses import dataclass, replace

FREE = "free"
HELD = "held"
BOOKED = "booked"


@dataclass
class Seat:
    """`client` and `until` mean something only while the status calls for them."""

    row: str
    number: int
    status: str = FREE
    client: str = ""
    until: int = 0
    version: int = 0

    @property
    def name(self):
        return f"{self.row}{self.number}"

    def is_free(self):
        return self.status == FREE

    def is_held_by(self, client):
        return self.status == HELD and self.client == client

    def hold(self, client, until):
        self._change(HELD, client, until)

    def book(self, client):
        self._change(BOOKED, client, 0)

    def free(self):
        self._change(FREE, "", 0)

    def _change(self, status, client, until):
        self.status = status
        self.client = client
        self.until = until
        self.version += 1


class Venue:
    """Seats in plan order, and the `wait` steps that were not granted yet in order of arrival."""

    def __init__(self, name, limit, seats, waiting=()):
        self.name = name
        self.limit = limit
        self.seats = seats
        self.waiting = list(waiting)
        self._by_name = {seat.name: seat for seat in seats}

    def copy(self):
        seats = [replace(seat) for seat in self.seats]
        return Venue(self.name, self.limit, seats, self.waiting)

    def find(self, name):
        """The seat of this name, or None."""
        return self._by_name.get(name)

    def held_by(self, client):
        return [seat for seat in self.seats if seat.is_held_by(client)]

    def booked_by(self, client):
        return [seat for seat in self.seats if seat.status == BOOKED and seat.client == client]

    def would_exceed(self, client, wished):
        """Whether so many seats on top of what the client has are too many."""
        has = len(self.held_by(client)) + len(self.booked_by(client))
        return has + wished > self.limit

    def is_waiting(self, client):
        return any(wish.client == client for wish in self.waiting)

    def forget_wish(self, client):
        self.waiting = [wish for wish in self.waiting if wish.client != client]

    def available(self, wish):
        """The seats that a wish would get now; none if it cannot be met completely."""
        if wish.together:
            return self.side_by_side(wish.together)
        seats = [self._by_name[name] for name in wish.seats]
        return seats if all(seat.is_free() for seat in seats) else []

    def side_by_side(self, count):
        """The first `count` seats of the shortest gap that is long enough; none if there is no such gap."""
        chosen = []
        for gap in self._gaps():
            if len(gap) >= count and (not chosen or len(gap) < len(chosen)):
                chosen = gap
        return chosen[:count]

    def _gaps(self):
        gap = []
        for seat in self.seats:
            if gap and (seat.row != gap[-1].row or not seat.is_free()):
                yield gap
                gap = []
            if seat.is_free():
                gap.append(seat)
        if gap:
            yield gap
