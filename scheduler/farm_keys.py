"""Changes who may sign for the farm: every change is a leaf of its log, signed by those who may."""

from collections.abc import Iterator
from pathlib import Path

from models.errors import NotFound, Refused
from models.records.key_leaves import PREVIOUS, ROOT, KeyAction, current_key, key_leaf, trust_of
from models.records.signing_keys import KeyRole, SigningKey, new_key
from models.schemas.trust import TrustedKey, TrustPolicy
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database
from models.storage.transparency_log import enter_leaf, known_log, leaves_from

AT_ONCE = 5_000


def log_leaves(database: Database) -> Iterator[tuple[int, str]]:
    """Every leaf of the farm's log with its position, in order; in bounded memory."""
    first = 0
    while True:
        with database.read() as session:
            some = leaves_from(session, first, AT_ONCE)
        yield from some
        if len(some) < AT_ONCE:
            return
        first = some[-1][0] + 1


class FarmKeys:
    """The keys of one farm: the public ones of its log, and the private ones of this machine.

    `roots` is the folder of the root key, where that is kept elsewhere.
    """

    def __init__(
        self, database: Database, folder: KeyFolder, roots: KeyFolder | None = None
    ) -> None:
        self._database = database
        self._folder = folder
        self._roots = roots or folder

    def policy(self) -> TrustPolicy:
        """Whom to trust, as the log says it. Raises NotFound for a farm without a log."""
        with self._database.read() as session:
            state = known_log(session)
        return trust_of(state.origin, state.root_key, log_leaves(self._database))[0]

    def rotate(self, role: KeyRole) -> tuple[SigningKey, Path]:
        """A new key in place of this machine's; good from its place in the log on, beside the one
        before, which is retired when every worker has the new one.

        Raises NotFound where the root's or the present key is not here, Refused for the root.
        """
        if role is KeyRole.ROOT:
            raise Refused(
                "the root key is what all others are known by: it is not rotated.",
                remedy="Begin a new log with a new root, and hand its trust file out anew.",
            )
        key, policy = new_key(role), self.policy()
        before = current_key(policy.keys, role)
        signers = {ROOT: self._root(policy)}
        if before is not None:
            signers[PREVIOUS] = self._present(role, before)
        self._enter(key_leaf(policy.log, KeyAction.ADD, role, key.public, signers))
        return key, self._folder.keep(key)

    def end(self, action: KeyAction, name: str) -> TrustedKey:
        """Retire or revoke the key called `name`.

        Raises NotFound where the log has no such key, Refused for one that has ended: a retired
        key can still be revoked.
        """
        policy = self.policy()
        found = next((key for key in policy.keys if key.id == name), None)
        if found is None:
            raise NotFound(
                f"the farm's log names no key {name}.", remedy="`gradefarm keys list` names them."
            )
        if found.revoked or (found.until is not None and action is KeyAction.RETIRE):
            ended = "revoked" if found.revoked else "retired"
            raise Refused(
                f"{name} was {ended} at position {found.until} of the log.",
                remedy="Nothing to do: no record that was closed since then holds with it.",
            )
        signers = {ROOT: self._root(policy)}
        role = KeyRole(found.role)
        self._enter(key_leaf(policy.log, action, role, found.public, signers))
        return found

    def _root(self, policy: TrustPolicy) -> SigningKey:
        root = self._roots.get(KeyRole.ROOT)
        if root.public != policy.root:
            raise Refused(
                f"{self._roots.path(KeyRole.ROOT)} is not the root key of {policy.log}.",
                remedy="Bring the one that the log was begun with.",
            )
        return root

    def _present(self, role: KeyRole, trusted: TrustedKey) -> SigningKey:
        present = self._folder.get(role)
        if present.public != trusted.public:
            raise Refused(
                f"{self._folder.path(role)} is not the {role} key that is good now, {trusted.id}.",
                remedy="Bring that one; if it is lost, revoke it first.",
            )
        return present

    def _enter(self, leaf: str) -> None:
        with self._database.transaction() as session:
            enter_leaf(session, leaf)
