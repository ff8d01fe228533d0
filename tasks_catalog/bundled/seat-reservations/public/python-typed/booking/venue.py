"""A venue and its seats."""

FREE = "free"
HELD = "held"
BOOKED = "booked"


class Seat:
    """One numbered seat and who has it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.status = FREE
        self.client = ""
        self.version = 0

    def change(self, status: str, client: str) -> None:
        self.status = status
        self.client = client
        self.version += 1


class Venue:
    """The seats by name, in plan order, and the clients who wait for one."""

    def __init__(self) -> None:
        self.seats: dict[str, Seat] = {}
        self.waiting: list[str] = []

    def add_row(self, row: str, count: int) -> None:
        for number in range(1, count + 1):
            name = f"{row}{number}"
            self.seats[name] = Seat(name)

    def free_all_of(self, client: str) -> list[str]:
        """Free what the client holds; return the names of these seats."""
        names = []
        for seat in self.seats.values():
            if seat.status == HELD and seat.client == client:
                seat.change(FREE, "")
                names.append(seat.name)
        return names
