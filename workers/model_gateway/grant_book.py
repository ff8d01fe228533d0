"""All grants of a gateway: who may ask for what, and until when."""

import hashlib
import logging
import secrets

from models.clock import Clock
from models.errors import InputFault, InvalidInput, Refused
from models.event_log import event
from models.schemas.longest_stage import BACKSTOP_S
from models.schemas.model_call import Grant, GrantRequest
from models.verdicts import VoidCategory
from workers.model_gateway.account import GrantAccount, GrantOpening
from workers.model_gateway.configuration import GatewayConfiguration
from workers.model_gateway.journal import Entry, Journal, opened_at
from workers.model_gateway.price_table import day_of

_LOG = logging.getLogger(__name__)
LONGEST_LIFE_S = float(BACKSTOP_S)
"""A key that nobody closed, since its worker is gone, dies then: no stage is at work for longer,
however long it waits for providers."""
KEPT_S = 3_600.0
"""Closed grants are remembered for so long, for who asks for a report once more."""
KEY = "gfk-"
FORGETTING_S = 60.0
"""So often it is looked for what can be forgotten."""


class OtherFarm(Refused):
    """A grant for a run of a farm that this gateway is not for."""


class GrantBook:
    """Grants by their ids and by the hashes of their keys. Survives the process in `journal`.

    All are of one farm: each counts its runs from 1, and bodies are kept where one farm finds them.
    """

    def __init__(self, configuration: GatewayConfiguration, journal: Journal, clock: Clock) -> None:
        self._configuration = configuration
        self._price_table = configuration.price_table.digest
        self._journal = journal
        self._clock = clock
        self._by_id: dict[str, GrantAccount] = {}
        self._by_key: dict[str, GrantAccount] = {}
        self._of_run: dict[tuple[str, int], list[GrantAccount]] = {}
        self._forgotten_at = 0.0
        for grant, lines in journal.read_all():
            try:
                self._restore(grant, lines)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                self._lose(grant, error)

    def open(self, request: GrantRequest) -> Grant:
        """A new grant; older attempts of the same run lose theirs, and so does the same attempt,
        which asks again where the answer was lost.

        Raises InvalidInput for models that the gateway does not serve or has no price for,
        OtherFarm while grants of another farm are remembered, Refused where a newer attempt of the
        run has a grant.
        """
        self._refuse_models(request)
        self._forget()
        self._refuse_other_farm(request)
        of_run = self._of_run.get(_run_of(request), [])
        if any(one.request.token > request.token for one in of_run):
            raise Refused(f"run {request.run_id} has a newer attempt than {request.token}.")
        for one in of_run:
            if one.request.token == request.token and not one.closed:
                one.fail(VoidCategory.GATEWAY, "its attempt asked for another grant")
            one.close()
        grant = Grant(id=secrets.token_hex(8), key=KEY + secrets.token_urlsafe(32))
        opening = GrantOpening(grant.id, request, hash_of(grant.key), self._clock.now())
        self._journal.write(
            grant.id,
            {
                "open": request.model_dump(mode="json"),
                "key_hash": opening.key_hash,
                "opened": opening.opened,
                "price_table": self._price_table,
            },
        )
        self._enter(opening, self._price_table)
        return grant

    def account(self, grant: str) -> GrantAccount | None:
        """A grant by its id, closed or not; None for one that is not known."""
        return self._by_id.get(grant)

    def of_key(self, key: str) -> GrantAccount | None:
        """The grant whose key this is, if the key is alive; one that is still used when it dies of
        age voids."""
        account = self._by_key.get(hash_of(key))
        if account is None or account.closed:
            return None
        if self._clock.now() <= _end_of(account):
            return account
        account.fail(VoidCategory.GATEWAY, "its key was too old")
        return None

    def accounts(self) -> tuple[GrantAccount, ...]:
        """All grants that are remembered."""
        return tuple(self._by_id.values())

    def _refuse_models(self, request: GrantRequest) -> None:
        faults: list[InputFault] = []
        today = day_of(self._clock.now())
        for model in request.models:
            if model not in self._configuration.models:
                known = ", ".join(self._configuration.models)
                faults.append(
                    InputFault("models", f"there is no {model!r}", f"name one of {known}")
                )
            elif self._configuration.price_table.at(model, today) is None:
                remedy = "give it one in the gateway file, 0 if it costs nothing"
                faults.append(InputFault("models", f"{model!r} has no price", remedy))
        if faults:
            raise InvalidInput("the gateway", faults)

    def _refuse_other_farm(self, request: GrantRequest) -> None:
        if any(farm not in {request.farm, ""} for farm, _ in self._of_run):
            raise OtherFarm(
                "this gateway is at work for another farm.",
                remedy="One gateway serves one farm: start another for this one, with a "
                "GRADEFARM_HOME of its own, and name it in GRADEFARM_GATEWAY_URL. Where this farm "
                f"took that one's place, end the gateway, remove {self._journal.folder}, and start "
                "it again.",
            )

    def _restore(self, grant: str, lines: list[Entry]) -> None:
        first = lines[0]
        if "open" not in first:
            return
        request = GrantRequest.model_validate(first["open"])
        opening = GrantOpening(grant, request, str(first["key_hash"]), opened_at(first))
        account = self._enter(opening, str(first["price_table"]))
        account.replay(lines)
        if not account.closed and first["price_table"] != self._price_table:
            account.fail(VoidCategory.GATEWAY, "the prices changed while the run was at work")

    def _lose(self, grant: str, error: Exception) -> None:
        """A journal that somebody broke is of one grant: its run is void, and all others go on."""
        _LOG.error("", extra=event("journal_broken", grant=grant, text=type(error).__name__))
        account = self._by_id.get(grant)
        if account is not None:
            account.fail(VoidCategory.GATEWAY, "its journal can't be read")

    def _forget(self) -> None:
        """Let go of what nobody asks for any more, its journal included."""
        now = self._clock.now()
        if now < self._forgotten_at + FORGETTING_S:
            return
        self._forgotten_at = now
        for account in self.accounts():
            opening = account.opening
            if account.tasks or now < _end_of(account) + KEPT_S:
                continue
            del self._by_id[opening.id], self._by_key[opening.key_hash]
            of_run = self._of_run[_run_of(account.request)]
            of_run.remove(account)
            if not of_run:
                del self._of_run[_run_of(account.request)]
            self._journal.remove(opening.id)

    def _enter(self, opening: GrantOpening, price_table: str) -> GrantAccount:
        account = GrantAccount(opening, price_table, self._clock, self._journal.write)
        self._by_id[opening.id] = account
        self._by_key[opening.key_hash] = account
        self._of_run.setdefault(_run_of(account.request), []).append(account)
        return account


def _run_of(request: GrantRequest) -> tuple[str, int]:
    """A run of all farms."""
    return request.farm, request.run_id


def _end_of(account: GrantAccount) -> float:
    """When its key died or will die, in epoch seconds."""
    oldest = account.opening.opened + LONGEST_LIFE_S
    return oldest if account.closed_at is None else min(account.closed_at, oldest)


def hash_of(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode()).hexdigest()
