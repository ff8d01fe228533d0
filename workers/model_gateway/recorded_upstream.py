"""Recording what providers answer, and answering the same again without them."""

import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from models.schemas.base import Schema
from workers.model_gateway.retry_rules import is_providers_fault
from workers.model_gateway.secrets_filter import SecretsFilter
from workers.model_gateway.stream_cleaning import clean_reply
from workers.model_gateway.upstream import (
    NotAllowed,
    ReplyBroke,
    Upstream,
    UpstreamReply,
    UpstreamRequest,
)


class Recording(Schema):
    """One answer. `label` is the run's, `ordinal` counts equal questions of one grant from 0, and
    `turn` all of them."""

    label: str
    ordinal: int
    turn: int = 0
    model: str = ""
    status: int
    body: str
    broke: bool = False


def digest_of_request(request: UpstreamRequest) -> str:
    """Names what is asked, whoever asks it: 64 hex digits."""
    asked = {
        "wire": request.wire,
        "path": request.path,
        "body": cast("object", json.loads(request.content)),
    }
    text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class _Asked:
    """How much each grant asked."""

    def __init__(self) -> None:
        self._alike: Counter[tuple[str, str]] = Counter()
        self._all: Counter[str] = Counter()

    def places(self, request: UpstreamRequest, digest: str) -> tuple[int, int]:
        """The place of a question among equal ones of its grant, and among all, from 0."""
        ordinal, turn = self._alike[request.grant, digest], self._all[request.grant]
        self._alike[request.grant, digest] += 1
        self._all[request.grant] += 1
        return ordinal, turn


class RecordingUpstream:
    """Passes every question on and writes the answer down, without secrets; what providers retry
    is not kept."""

    def __init__(self, upstream: Upstream, folder: Path, secrets: SecretsFilter) -> None:
        self._upstream = upstream
        self._folder = folder
        self._secrets = secrets
        self._asked = _Asked()
        folder.mkdir(parents=True, exist_ok=True)

    async def ask(self, request: UpstreamRequest) -> UpstreamReply:
        """The answer of the upstream that it stands before."""
        reply = await self._upstream.ask(request)
        if is_providers_fault(reply.status):
            return reply
        digest = digest_of_request(request)
        ordinal, turn = self._asked.places(request, digest)
        broke = False
        parts: list[bytes] = []
        try:
            with suppress(ReplyBroke):
                broke = True
                async for part in reply.chunks():
                    parts.append(part)
                broke = False
        finally:
            await reply.close()
        body = clean_reply(b"".join(parts), self._secrets).decode("utf-8", "replace")
        kept = Recording(
            label=request.label,
            ordinal=ordinal,
            turn=turn,
            model=request.model,
            status=reply.status,
            body=body,
            broke=broke,
        )
        with (self._folder / f"{digest}.jsonl").open("a", encoding="utf-8") as file:
            file.write(kept.model_dump_json() + "\n")
        return _RecordedReply(kept)

    async def close(self) -> None:
        """Close the upstream."""
        await self._upstream.close()


class RecordedUpstream:
    """Answers from a folder of recordings, as often as one likes.

    The n-th of equal questions of a grant gets what the n-th got from a run of the same label;
    where there was no such run, from any; where fewer were asked, the last. A question that was
    never asked so, since tests and commands tell how long they took, gets what a run of the same
    label got in the same turn from the same model.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._asked = _Asked()
        self._turns: dict[tuple[str, str, int], Recording] | None = None

    async def ask(self, request: UpstreamRequest) -> UpstreamReply:
        """The recorded answer. Raises NotAllowed where none is."""
        digest = digest_of_request(request)
        ordinal, turn = self._asked.places(request, digest)
        kept = self._recordings(self._folder / f"{digest}.jsonl") or self._in_turn(request, turn)
        if not kept:
            raise NotAllowed(f"nothing is recorded for this request ({digest[:12]})")
        same = [one for one in kept if one.label == request.label] or kept
        exact = [one for one in same if one.ordinal == ordinal]
        return _RecordedReply(exact[0] if exact else same[-1])

    async def close(self) -> None:
        """Nothing is open."""

    def _in_turn(self, request: UpstreamRequest, turn: int) -> list[Recording]:
        if self._turns is None:
            known = [one for path in self._folder.glob("*.jsonl") for one in self._recordings(path)]
            self._turns = {(one.label, one.model, one.turn): one for one in known if one.label}
        found = self._turns.get((request.label, request.model, turn))
        return [] if found is None else [found]

    def _recordings(self, path: Path) -> list[Recording]:
        if not path.is_file():
            return []
        lines = path.read_text(encoding="utf-8").split("\n")
        return [Recording.model_validate_json(line) for line in lines if line]


class _RecordedReply:
    def __init__(self, kept: Recording) -> None:
        self._kept = kept

    @property
    def status(self) -> int:
        return self._kept.status

    @property
    def headers(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", {})

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._kept.body.encode()
        if self._kept.broke:
            raise ReplyBroke("as recorded")

    async def close(self) -> None:
        pass
