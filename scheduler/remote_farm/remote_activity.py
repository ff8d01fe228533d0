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
        first, *others = campaign_ids
        request = Request("GET", f"{path_of(first)}/activity", {"also": tuple(others)})
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
