"""What happens in campaigns of a farm elsewhere."""

import time
from collections.abc import Sequence

from models.errors import Infrastructure
from models.schemas.campaign_activity import CampaignActivity
from scheduler.remote_farm.connection import Connection, Request
from scheduler.remote_farm.remote_campaigns import path_of

PAUSE_S = 1.0


class RemoteActivity:
    """Keeps `Activities` over HTTP. Once there was a look, an outage of the server is waited out:
    whoever follows the progress beside it says so."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._has_looked = False

    def look(self, campaign_ids: Sequence[str]) -> CampaignActivity:
        """What happens in them now, as if they were one."""
        one = len(campaign_ids) == 1
        path = f"{path_of(campaign_ids[0])}/activity" if one else "activity"
        request = Request("GET", path, {} if one else {"campaign": campaign_ids})
        while True:
            try:
                found = self._connection.ask(request, CampaignActivity)
            except Infrastructure:
                if not self._has_looked:
                    raise
            else:
                self._has_looked = True
                return found
            time.sleep(PAUSE_S)
