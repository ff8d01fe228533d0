"""Systems of the farm whose database is at hand."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.clock import Clock
from models.schemas.system_limit import SystemLimits, SystemLoad
from models.storage.system_limits import find_system_id, set_limits
from models.storage.system_loads import system_loads
from models.storage.transaction import Database

BY_HAND = "by hand"


@dataclass(frozen=True)
class LocalSystems:
    """Keeps `Systems` over a database."""

    database: Database
    clock: Clock

    def loads(self) -> Sequence[SystemLoad]:
        """Every system, the newest first."""
        with self.database.read() as session:
            return system_loads(session, self.clock.now())

    def limit(self, name: str, limits: SystemLimits, *, by: str = BY_HAND) -> SystemLoad:
        """Set its limits, in place of those that it had; `by` whom is told beside them."""
        with self.database.transaction() as session:
            system_id = find_system_id(session, name)
            set_limits(session, {system_id: limits}, by)
        return next(one for one in self.loads() if one.system_id == system_id)
