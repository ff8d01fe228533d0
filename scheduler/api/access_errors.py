"""Why a request is turned away before anything of it is looked at."""

from models.errors import Infrastructure, InvalidInput, Refused


class LoginNeeded(Refused):
    """The request has no token that is good now."""


class RoleNeeded(Refused):
    """The token is good, and its role is not enough."""


class ForeignName(Refused):
    """The server was asked for by a name that others may lead here."""


class TooLarge(InvalidInput):
    """The body is larger than anything that the farm takes."""


class TooSlow(InvalidInput):
    """The body did not arrive in time."""


class Busy(Infrastructure):
    """As many requests of the kind as may be are in work already."""

    def __init__(self, message: str) -> None:
        super().__init__("farm", message, remedy="Ask again in a moment.")
