"""Carries out steps."""

from collections.abc import Iterable

from booking.venue import BOOKED, FREE, HELD, Venue

REFUSED = "refused bad_step"


class Desk:
    """Keeps the venues and which one each client is in; answers one line after the other."""

    def __init__(self) -> None:
        self._venues: dict[str, Venue] = {}
        self._venue_of: dict[str, str] = {}

    def answer(self, line: str) -> list[str]:
        fields = line.split(" ")
        if len(fields) < 3:
            return [REFUSED]
        if fields[0] == "venue":
            return [self._open_venue(fields[1], fields[3:])]
        return [self._carry_out(fields[0], fields[2], fields[3:])]

    def _open_venue(self, name: str, rows: list[str]) -> str:
        venue = Venue()
        for field in rows:
            row, _, count = field.partition(":")
            venue.add_row(row, number(count))
        self._venues[name] = venue
        return f"ok {len(venue.seats)}"

    def _carry_out(self, operation: str, client: str, rest: list[str]) -> str:
        if operation == "begin":
            return self._begin(client, rest)
        if client not in self._venue_of:
            return REFUSED
        venue = self._venues[self._venue_of[client]]
        match operation:
            case "read":
                return self._read(venue, rest)
            case "hold":
                return self._change(venue, rest[1:], FREE, "", HELD, client)
            case "extend":
                return self._change(venue, rest[1:], HELD, client, HELD, client)
            case "release":
                return self._change(venue, rest, HELD, client, FREE, "")
            case "confirm":
                return self._confirm(venue, client, rest[1:])
            case "cancel":
                del self._venue_of[client]
                return ok(venue.free_all_of(client))
            case "wait":
                venue.waiting.append(client)
                return f"ok {len(venue.waiting)}"
        return REFUSED

    def _begin(self, client: str, rest: list[str]) -> str:
        if not rest or rest[0] not in self._venues:
            return REFUSED
        self._venue_of[client] = rest[0]
        return "ok"

    def _read(self, venue: Venue, names: list[str]) -> str:
        answers = []
        for name in names:
            if name not in venue.seats:
                return REFUSED
            seat = venue.seats[name]
            answers.append(f"{name}={seat.status}/{seat.version}")
        return ok(answers)

    def _change(
        self,
        venue: Venue,
        names: list[str],
        status: str,
        owner: str,
        new_status: str,
        new_owner: str,
    ) -> str:
        for name in names:
            seat = venue.seats.get(name)
            if seat is None or seat.status != status or seat.client != owner:
                return REFUSED
            if new_status != status:
                seat.change(new_status, new_owner)
        return ok(names)

    def _confirm(self, venue: Venue, client: str, names: list[str]) -> str:
        for name in names:
            seat = venue.seats.get(name)
            if seat is None or seat.status == BOOKED:
                return REFUSED
            seat.change(BOOKED, client)
        venue.free_all_of(client)
        del self._venue_of[client]
        return ok(names)


def number(text: str) -> int:
    """The number that a field holds; 0 if it holds none."""
    if text.isascii() and text.isdigit() and len(text) < 3:
        return int(text)
    return 0


def ok(parts: Iterable[str]) -> str:
    return " ".join(["ok", *parts])
