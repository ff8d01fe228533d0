"""Keeps the farm's transparency log: begins it with its first keys, and orders what comes in."""

import logging
import secrets

from models.errors import FarmError, Refused
from models.records.key_leaves import ROOT, KeyAction, key_leaf
from models.records.signing_keys import KeyRole, SigningKey, new_key
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database
from models.storage.transparency_log import begin_log, has_pending, log_state, order_leaves

log = logging.getLogger(__name__)

AT_ONCE = 2_000
SIGN = (KeyRole.RECORDER, KeyRole.GRADER, KeyRole.LOG)


class KeysNotMade(Refused):
    """The farm's log can't begin: a key is missing and can't be written."""


class FarmLog:
    """The log of one farm, for the scheduler that is in office."""

    def __init__(self, database: Database, keys: KeyFolder) -> None:
        self._database = database
        self._keys = keys
        self._told = ""

    def begin(self) -> None:
        """Make the keys that are missing, and a log that names them, where the farm has none.

        What stands against it is told and leaves the farm without records, not without work.
        """
        try:
            self.begin_now()
        except KeysNotMade as error:
            self._tell(f"runs are not recorded: {error}")

    def begin_now(self) -> bool:
        """As `begin`; whether the farm had no log. Raises KeysNotMade."""
        with self._database.read() as session:
            if log_state(session) is not None:
                return False
        try:
            root, *signing = [self._key(role) for role in (KeyRole.ROOT, *SIGN)]
        except (FarmError, OSError) as error:
            raise KeysNotMade(
                f"the farm's keys can't be made: {error}",
                remedy="Make them beforehand with `gradefarm keys new`, and name their folder with "
                "GRADEFARM_KEYS.",
            ) from error
        name = f"gradefarm/{secrets.token_hex(8)}"
        leaves = [
            key_leaf(name, KeyAction.ADD, key.role, key.public, {ROOT: root}) for key in signing
        ]
        with self._database.transaction() as session:
            if log_state(session) is None:
                begin_log(session, name, root.public, leaves)
        self.order()
        return True

    def order(self) -> bool:
        """Put what waits into the log; whether there may be more."""
        with self._database.read() as session:
            if not has_pending(session):
                return False
        try:
            key = self._keys.get(KeyRole.LOG)
        except FarmError as error:
            self._tell(f"the log stands still: {error}")
            return False
        try:
            with self._database.transaction() as session:
                return order_leaves(session, key, AT_ONCE) == AT_ONCE
        except Refused:
            return True

    def _key(self, role: KeyRole) -> SigningKey:
        found = self._keys.find(role)
        if found is None:
            found = new_key(role)
            self._keys.keep(found)
        return found

    def _tell(self, what: str) -> None:
        """Once is enough."""
        if what != self._told:
            log.warning("%s", what)
        self._told = what
