"""`/api/artifacts`: snapshots, transcripts and raw output by digest. They may hold answers."""

from collections.abc import Iterator
from typing import Annotated, BinaryIO

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse

from scheduler.api.problem_responses import NO_SUCH_ARTIFACT
from scheduler.farm_access.local_farm import LocalFarm

CHUNK = 1 << 18
BYTES: dict[int | str, dict[str, object]] = {
    200: {
        "description": "The bytes.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    },
    304: {"description": "`If-None-Match` names the digest: the client has the bytes."},
}
Digest = Annotated[
    str,
    Path(
        max_length=100,
        description="`sha256:` and 64 lower-case hexadecimal digits.",
        examples=["sha256:" + "0" * 64],
    ),
]


def artifacts_router(farm: LocalFarm) -> APIRouter:
    """The operations below `/artifacts`."""
    router = APIRouter(prefix="/artifacts", tags=["artifacts"])

    @router.get(
        "/{digest}",
        summary="The bytes of an artifact",
        response_class=StreamingResponse,
        responses=BYTES | NO_SUCH_ARTIFACT,
    )
    def artifact(digest: Digest, request: Request) -> Response:
        if request.headers.get("if-none-match") == f'"{digest}"' and farm.artifacts.has(digest):
            return Response(status_code=304, headers={"ETag": f'"{digest}"'})
        file = farm.artifacts.open(digest)
        length = file.seek(0, 2)
        file.seek(0)
        return StreamingResponse(
            _chunks_of(file),
            media_type="application/octet-stream",
            headers=_headers(digest) | {"Content-Length": str(length)},
        )

    @router.head(
        "/{digest}",
        summary="Whether an artifact is there",
        responses=NO_SUCH_ARTIFACT,
        response_class=Response,
    )
    def is_there(digest: Digest) -> Response:
        farm.artifacts.open(digest).close()
        return Response(headers=_headers(digest), media_type="application/octet-stream")

    return router


def _headers(digest: str) -> dict[str, str]:
    name = digest.replace(":", "-")
    return {
        "ETag": f'"{digest}"',
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
    }


def _chunks_of(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
