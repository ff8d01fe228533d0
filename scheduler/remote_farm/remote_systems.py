"""Systems of a farm elsewhere."""

from dataclasses import dataclass
from urllib.parse import quote

from models.schemas.system_limit import SystemLimits, SystemLoad
from scheduler.remote_farm.connection import Connection, Request


@dataclass(frozen=True)
class RemoteSystems:
    """Keeps `Systems` over HTTP."""

    connection: Connection

    def loads(self) -> list[SystemLoad]:
        """Every system, the newest first."""
        return self.connection.ask(Request("GET", "systems"), list[SystemLoad])

    def limit(self, name: str, limits: SystemLimits) -> SystemLoad:
        """Set its limits, in place of those that it had."""
        path = f"systems/{quote(name, safe='')}/limits"
        request = Request("PUT", path, body=limits.model_dump(mode="json"))
        return self.connection.ask(request, SystemLoad)
