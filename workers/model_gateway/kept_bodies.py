"""Keeps what was asked and answered, whole, as artifacts."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

from models.canonical import digest_of_bytes
from models.errors import FarmError
from models.event_log import event
from models.storage.artifacts import ArtifactStore
from models.verdicts import VoidCategory
from workers.model_gateway.account import GrantAccount
from workers.model_gateway.secrets_filter import SecretsFilter

_LOG = logging.getLogger(__name__)
MOST_UNPAID_BYTES = 4 * 2**20
MOST_WAITING = 256 * 2**20
"""Bytes of all runs that wait for the store: where it takes in less than comes, memory is not to
fill up."""
THREADS = 4


class KeptBodies:
    """Cleans bodies of secrets and writes them in threads: nobody waits for a disk."""

    def __init__(self, store: ArtifactStore, secrets: SecretsFilter) -> None:
        self._store = store
        self._secrets = secrets
        self._threads = ThreadPoolExecutor(THREADS, "kept-bodies")
        self._waiting = 0

    def keep(self, account: GrantAccount, data: bytes, *, paid: bool = True) -> str:
        """The digest under which `data` will be kept; where it can't be, the grant fails.

        Empty where there is nothing, and where the grant has left `MOST_UNPAID_BYTES` of calls that
        cost it nothing: what is paid for is bounded by its budget.
        """
        if not data or not (paid or account.unpaid_bytes + len(data) <= MOST_UNPAID_BYTES):
            return ""
        account.unpaid_bytes += 0 if paid else len(data)
        clean = self._secrets.clean(data)
        if self._waiting + len(clean) > MOST_WAITING:
            self._lose(account, f"more than {MOST_WAITING} bytes wait for the artifact store")
            return ""
        self._waiting += len(clean)
        task = asyncio.create_task(self._write(account, clean))
        account.tasks.add(task)
        task.add_done_callback(account.tasks.discard)
        return digest_of_bytes(clean)

    async def _write(self, account: GrantAccount, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads, self._store.put, data)
        except FarmError as error:
            self._lose(account, error.message)
        finally:
            self._waiting -= len(data)

    def _lose(self, account: GrantAccount, why: str) -> None:
        _LOG.error("", extra=event("body_not_kept", text=why))
        account.fail(VoidCategory.GATEWAY, f"a body could not be kept: {why}")
