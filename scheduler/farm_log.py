"""Keeps the farm's transparency log: begins it with its first keys, and orders what comes in."""

import logging
import secrets

from models.errors import FarmError, Refused
from models.records.key_leaves import ROOT, KeyAction, key_leaf, trust_of
from models.records.log_leaves import FARM_KEY
from models.records.signing_keys import KeyRole, SigningKey, new_key
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database
from models.storage.transparency_log import (
    begin_log,
    has_pending,
    known_log,
    leaves_about,
    log_state,
    order_leaves,
    pending_about,
)

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
        self._known = ""
        """The public key that was found good last."""

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
            self._refuse_unknown(key)
        except FarmError as error:
            self._tell(f"the log stands still: {error}")
            return False
        try:
            with self._database.transaction() as session:
                return order_leaves(session, key, AT_ONCE) == AT_ONCE
        except Refused:
            return True

    def _refuse_unknown(self, key: SigningKey) -> None:
        """Raises Refused for a key in whose name nobody would take a checkpoint. Looks again only
        where the key is another, or a change of keys waits."""
        with self._database.read() as session:
            if key.public == self._known and not pending_about(session, FARM_KEY):
                return
            state, changes = known_log(session), leaves_about(session, FARM_KEY)
        keys = trust_of(state.origin, state.root_key, changes)[0].keys
        if not any(one.id == key.id and one.until is None for one in keys):
            good = [one.id for one in keys if one.role == KeyRole.LOG and one.until is None]
            raise Refused(
                f"{self._keys.path(KeyRole.LOG)} is not a log key that is good now.",
                remedy=f"Bring the right one here: {' or '.join(good) or 'none is good'}.",
            )
        self._known = key.public

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
