"""Changes who may sign for the farm: every change is a leaf of its log, signed by those who may."""

import time
from dataclasses import dataclass
from pathlib import Path

from models.errors import NotFound, Refused
from models.records.key_leaves import PREVIOUS, ROOT, KeyAction, current_key, key_leaf, trust_of
from models.records.log_leaves import FARM_KEY, read_leaf
from models.records.signing_keys import KeyRole, SigningKey, key_id, new_key
from models.schemas.log_leaf import KeyLeaf
from models.schemas.trust import TrustedKey, TrustPolicy
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database
from models.storage.transparency_log import enter_leaf, known_log, pending_about
from scheduler.whole_log import whole_log

SETTLES_WITHIN_S, LOOK_AGAIN_S = 10.0, 0.2


@dataclass(frozen=True, slots=True)
class Rotated:
    """The new key and its file, and the one that it took the place of, if any is good still."""

    key: SigningKey
    path: Path
    before: TrustedKey | None


@dataclass(frozen=True, slots=True)
class Ended:
    """A key that was retired or revoked, and the one of its role that is good beside it, if any."""

    key: TrustedKey
    good: TrustedKey | None


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
        return trust_of(state.origin, state.root_key, whole_log(self._database, state.size))[0]

    def waiting(self) -> dict[str, KeyLeaf]:
        """Changes of keys without a place in the log yet, by the name of the key."""
        with self._database.read() as session:
            entered = [read_leaf(leaf) for leaf in pending_about(session, FARM_KEY)]
        leaves = [leaf for leaf in entered if isinstance(leaf, KeyLeaf)]
        return {key_id(KeyRole(leaf.role), leaf.public): leaf for leaf in leaves}

    def settled_policy(self, role: KeyRole | None = None) -> TrustPolicy:
        """As `policy`, once every change of keys that was entered has its place in the log; with
        `role`, every change of keys of that role.

        Raises Refused where one has none after SETTLES_WITHIN_S.
        """
        wanted = "" if role is None else f'"role":"{role}"'
        until = time.monotonic() + SETTLES_WITHIN_S
        while True:
            with self._database.read() as session:
                waiting = [leaf for leaf in pending_about(session, FARM_KEY) if wanted in leaf]
            if not waiting:
                return self.policy()
            if time.monotonic() > until:
                raise Refused(
                    "a change of keys waits for its place in the log.",
                    remedy="The active scheduler gives it within a second or two: start one "
                    "(`gradefarm up` or `gradefarm scheduler`) with the log's key, and ask again.",
                )
            time.sleep(LOOK_AGAIN_S)

    def rotate(self, role: KeyRole) -> Rotated:
        """A new key in place of this machine's; good from its place in the log on, beside the one
        before, which is retired when every worker has the new one.

        Where it was broken off, the next call goes on with the same key, unless that one has ended
        meanwhile. Raises NotFound where the
        root's or the present key is not here, Refused for the root.
        """
        if role is KeyRole.ROOT:
            raise Refused(
                "the root key is what all others are known by: it is not rotated.",
                remedy="Begin a new log with a new root, and hand its trust file out anew.",
            )
        policy = self.settled_policy(role)
        key = self._folder.prepared(role)
        if key is None or _has_ended(policy, key.id):
            key = new_key(role)
        if not _names(policy, key.id):
            added = self._added(policy, key)
            self._folder.prepare(key)  # first: a leaf of a key that nobody has can't be taken back
            self._enter(added)
        others = [one for one in policy.keys if one.id != key.id]
        return Rotated(key, self._folder.put_in_place(role), current_key(others, role))

    def _added(self, policy: TrustPolicy, key: SigningKey) -> str:
        before = current_key(policy.keys, key.role)
        signers = {ROOT: self._root(policy)}
        if before is not None:
            signers[PREVIOUS] = self._present(key.role, before)
        return key_leaf(policy.log, KeyAction.ADD, key.role, key.public, signers)

    def end(self, action: KeyAction, name: str) -> Ended:
        """Retire or revoke the key called `name`.

        Raises NotFound where the log has no such key, Refused for one that has ended (a retired
        key can still be revoked), and for retiring the only good one of its role.
        """
        policy = self.settled_policy(_role_in(name))
        found = next((key for key in policy.keys if key.id == name), None)
        if found is None:
            raise _no_such_key(name)
        if found.revoked or (found.until is not None and action is KeyAction.RETIRE):
            ended = "revoked" if found.revoked else "retired"
            raise Refused(
                f"{name} was {ended} at position {found.until} of the log.",
                remedy="Nothing to do: no record that was closed since then holds with it.",
            )
        good = _good_beside(policy, found)
        if action is KeyAction.RETIRE and good is None:
            raise Refused(
                f"{name} is the only good {found.role} key: nothing could be signed any more.",
                remedy=f"First `gradefarm keys rotate {found.role}`; a key that fell into other "
                "hands is revoked, not retired.",
            )
        signers = {ROOT: self._root(policy)}
        role = KeyRole(found.role)
        self._enter(key_leaf(policy.log, action, role, found.public, signers))
        return Ended(found, good)

    def _root(self, policy: TrustPolicy) -> SigningKey:
        root = self._roots.find(KeyRole.ROOT)
        if root is None:
            raise NotFound(
                f"the root key is not here: there is no {self._roots.path(KeyRole.ROOT)}.",
                remedy="Only it can say who may sign: name the folder that holds it with --root.",
            )
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


def _role_in(name: str) -> KeyRole:
    """The role that the name of a key begins with. Raises NotFound."""
    role = name.rpartition("-")[0]
    if role not in set(KeyRole):
        raise _no_such_key(name)
    return KeyRole(role)


def _no_such_key(name: str) -> NotFound:
    return NotFound(
        f"the farm's log names no key {name}.", remedy="`gradefarm keys list` names them."
    )


def _names(policy: TrustPolicy, name: str) -> bool:
    return any(key.id == name for key in policy.keys)


def _has_ended(policy: TrustPolicy, name: str) -> bool:
    return any(key.id == name and key.until is not None for key in policy.keys)


def _good_beside(policy: TrustPolicy, ending: TrustedKey) -> TrustedKey | None:
    others = (key for key in policy.keys if key.id != ending.id)
    return current_key(others, KeyRole(ending.role))
