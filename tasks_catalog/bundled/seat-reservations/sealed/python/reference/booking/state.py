"""All that steps can change, and what time does to it."""

from dataclasses import dataclass, field

from booking.venue import HELD


@dataclass
class Transaction:
    """`known` maps the name of a seat to the version that the transaction knows."""

    venue: str
    known: dict = field(default_factory=dict)

    def copy(self):
        return Transaction(self.venue, dict(self.known))

    def learn(self, seat):
        self.known[seat.name] = seat.version


class State:
    """`tickets` maps a client and a ticket to the seats that were confirmed with it."""

    def __init__(self):
        self.clock = 0
        self.venues = {}
        self.transactions = {}
        self.tickets = {}

    def copy(self):
        twin = State()
        twin.clock = self.clock
        twin.venues = {name: venue.copy() for name, venue in self.venues.items()}
        twin.transactions = {client: each.copy() for client, each in self.transactions.items()}
        twin.tickets = dict(self.tickets)
        return twin

    def advance(self, at):
        """Let all holds expire that end up to `at`; return the event lines."""
        events = []
        while (due := self._next_expiry()) is not None and due <= at:
            for venue in self.venues.values():
                events += self._expire(venue, due)
        self.clock = at
        return events

    def promote(self, venue, at):
        """Grant each wish on the waiting list that can be met now; return the event lines."""
        events = []
        for wish in list(venue.waiting):
            seats = venue.available(wish)
            if not seats or venue.would_exceed(wish.client, len(seats)):
                continue
            venue.forget_wish(wish.client)
            until = at + wish.lasting
            for seat in seats:
                seat.hold(wish.client, until)
                self.transactions[wish.client].learn(seat)
            names = " ".join(seat.name for seat in seats)
            events.append(f"promoted {at} {venue.name} {wish.client} {until} {names}")
        return events

    def _next_expiry(self):
        ends = [
            seat.until
            for venue in self.venues.values()
            for seat in venue.seats
            if seat.status == HELD
        ]
        return min(ends, default=None)

    def _expire(self, venue, due):
        events = []
        for seat in venue.seats:
            if seat.status == HELD and seat.until == due:
                events.append(f"expired {due} {venue.name} {seat.name} {seat.client}")
                seat.free()
        return events + self.promote(venue, due)
