"""Follows the progress of one campaign elsewhere beside whoever shows it, over any outage."""

import threading
from collections.abc import Callable

from pydantic import ValidationError

from models.errors import FarmError, Infrastructure, Refused
from models.schemas.campaign_progress import CampaignProgress
from scheduler.remote_farm.connection import LONGEST_PAUSE_S, Connection
from scheduler.remote_farm.event_stream import ServerEvent, events_in

END = "end"
FIRST_PAUSE_S = 0.5


class ProgressFollower:
    """A stream of server-sent events that is opened again whenever it breaks off, with the id of
    the last event, until the campaign has ended."""

    def __init__(self, connection: Connection, path: str, notice: Callable[[str], None]) -> None:
        """`path` is that of the stream; `notice` is told once of an outage, and of its end."""
        self._connection = connection
        self._path = path
        self._notice = notice
        self._last_id = ""
        self._away = False
        self._lock = threading.Lock()
        self._latest: CampaignProgress | None = None
        self._refusal: FarmError | None = None
        self._changes = 0

    def start(self) -> None:
        """Begin to follow. Ends with the process, or with the campaign."""
        threading.Thread(target=self._follow, daemon=True, name="progress").start()

    def latest(self) -> CampaignProgress | None:
        """The newest progress; None before the first. Raises what the server refuses."""
        with self._lock:
            if self._refusal is not None:
                raise self._refusal
            return self._latest

    def _follow(self) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            seen = self._changes
            try:
                if self._read_stream():
                    return
            except Infrastructure as error:
                self._tell_away(error)
            except FarmError as error:
                self._refuse(error)
                return
            except ValidationError:
                self._refuse(Refused("the server tells progress in words that are not known here."))
                return
            pause_s = FIRST_PAUSE_S if self._changes > seen else min(pause_s * 2, LONGEST_PAUSE_S)
            threading.Event().wait(pause_s)

    def _refuse(self, error: FarmError) -> None:
        with self._lock:
            self._refusal = error

    def _read_stream(self) -> bool:
        """Take in events until the stream breaks off; whether the campaign has ended."""
        headers = {"Accept": "text/event-stream"}
        if self._last_id:
            headers["Last-Event-ID"] = self._last_id
        with self._connection.stream(self._path, headers) as answer:
            for event in events_in(answer.iter_lines()):
                self._take(event)
                if event.name == END:
                    return True
            # Nothing more is to come where the server has no content for who saw the end.
            return answer.status_code == 204

    def _take(self, event: ServerEvent) -> None:
        progress = CampaignProgress.model_validate_json(event.data)
        with self._lock:
            self._latest, self._changes = progress, self._changes + 1
        self._last_id = event.id
        if self._away:
            self._away = False
            self._notice("the server answers again")

    def _tell_away(self, error: Infrastructure) -> None:
        if not self._away:
            self._away = True
            self._notice(f"{error.message} Trying again; the campaign goes on there.")
