"""Keeps who changed what: in the log, and with the campaign that was changed."""

from dataclasses import dataclass

from models.storage.campaign_requests import note_change
from models.storage.transaction import DATABASE_ERRORS
from scheduler.api.access import Principal
from scheduler.api.event_log import log_event, log_trouble
from scheduler.farm_access.local_farm import LocalFarm


@dataclass(frozen=True)
class ChangeRecord:
    """Changes of one farm over HTTP."""

    farm: LocalFarm

    def log(self, who: Principal, action: str, **about: object) -> None:
        """Tell the log that `who` did something."""
        log_event("changed", self.farm.clock.now(), token=who.name, action=action, **about)

    def keep(self, who: Principal, action: str, campaign_id: str) -> None:
        """Tell the log, and keep it with the campaign."""
        self.log(who, action, campaign=campaign_id)
        now = self.farm.clock.now()
        try:
            with self.farm.database.transaction() as session:
                note_change(session, campaign_id, who.name, action, now)
        except DATABASE_ERRORS as error:
            # The change itself is made, and the log has it: the client must hear that it is.
            log_trouble("change_not_kept", error)
