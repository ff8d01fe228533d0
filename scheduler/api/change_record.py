"""Keeps who changed what: in the log, and with the campaign that was changed."""

import logging
from dataclasses import dataclass

from models.event_log import event
from models.storage.campaign_requests import note_change
from models.storage.transaction import DATABASE_ERRORS
from scheduler.api.access import Principal
from scheduler.farm_access.local_farm import LocalFarm

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ChangeRecord:
    """Changes of one farm over HTTP."""

    farm: LocalFarm

    def log(self, who: Principal, action: str, **about: object) -> None:
        """Tell the log that `who` did something."""
        log.info("changed", extra=event("changed", by=who.name, action=action, **about))

    def keep(self, who: Principal, action: str, campaign_id: str) -> None:
        """Tell the log, and keep it with the campaign."""
        self.log(who, action, campaign=campaign_id)
        now = self.farm.clock.now()
        try:
            with self.farm.database.transaction() as session:
                note_change(session, campaign_id, who.name, action, now)
        except DATABASE_ERRORS:
            # The change itself is made, and the log has it: the client must hear that it is.
            log.exception("not kept", extra=event("change_not_kept", campaign=campaign_id))
