"""Artifacts in a bucket of an S3-compatible store, under the names that they have in a folder."""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, BinaryIO

from models.errors import Infrastructure, NotFound
from models.identifiers import Digest
from models.storage.artifacts import (
    CHUNK,
    DRAFT_AGE_S,
    Chunks,
    is_name,
    place_of,
    verified_copy,
)
from models.storage.s3_client import (
    ABSENT,
    CONFLICT,
    DENIED,
    TAKEN,
    UNKNOWN_CONDITION,
    S3Away,
    S3Client,
    S3Refusal,
    open_s3_client,
    refused_by_s3,
    told_by_s3,
)

PART_BYTES = 8 << 20
"""What is larger goes up in parts of this size or more, one in memory at a time."""
MOST_PARTS = 10_000
READ_TRIES = 4
WRITE_TRIES = 4
FRESH_S = 3_600.0
"""An artifact that is put again is written again once it is older: pruning goes by age, in days."""


class Overtaken(Exception):
    """Somebody removed, or wrote, what was being written: it has to be sent once more."""


Ask = Callable[[dict[str, object]], dict[str, Any]]
"""One question to the server, given the bucket and the key that it is about."""


def open_s3_artifacts(bucket: str, prefix: str, endpoint: str) -> "S3Artifacts":
    """The artifacts below `prefix` (empty: all) of a bucket. Asks nothing of the server yet."""
    return S3Artifacts(lambda: open_s3_client(endpoint), bucket, prefix)


class S3Artifacts:
    """Artifacts as objects: `<prefix>/<first two hex digits>/<hex digits>`.

    An object appears whole or not at all, and only where none is, or where the same one is so old
    that pruning may have it in sight. To put, a key needs nothing but `s3:PutObject`.
    """

    def __init__(self, connect: Callable[[], S3Client], bucket: str, prefix: str) -> None:
        self._connect = connect
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._knows_conditions = True
        self._swept = False

    @cached_property
    def _client(self) -> S3Client:
        return self._connect()

    def put(self, data: bytes) -> Digest:
        """Keep `data`. Raises Infrastructure when it can't be: disk_full, or unknown."""
        return self.put_chunks(lambda: (data,))

    def put_chunks(self, chunks: Chunks) -> Digest:
        """Keep what `chunks` gives, asked once for its name and once each time that it is sent.

        Raises as `put`; what `chunks` raises goes through.
        """
        hashed, size = hashlib.sha256(), 0
        for chunk in chunks():
            hashed.update(chunk)
            size += len(chunk)
        digest = Digest(f"sha256:{hashed.hexdigest()}")
        for _ in range(WRITE_TRIES):
            with suppress(Overtaken):
                if size > PART_BYTES:
                    self._send_parts(digest, chunks, size)
                else:
                    self._send_whole(digest, b"".join(chunks()))
                return digest
        place = self._place(self._key(digest))
        raise Infrastructure("unknown", f"{place} was removed {WRITE_TRIES} times as it was put.")

    def get(self, digest: str) -> bytes:
        """The bytes of `digest`. Raises as `open`."""
        with self.open(digest) as file:
            return file.read()

    def open(self, digest: str) -> BinaryIO:
        """A private copy of the artifact `digest`, compared with its name.

        Raises NotFound when there is none, Infrastructure when it is not what was put, or can't be
        read.
        """
        key = self._key(digest)
        last: S3Away | None = None
        for _ in range(READ_TRIES):
            try:
                answer = self._ask(key, lambda at: self._client.get_object(**at))
            except S3Refusal as refusal:
                if refusal.code in ABSENT:
                    raise self._absent(digest) from None
                raise refused_by_s3(self._place(key), refusal) from refusal
            try:
                return verified_copy(digest, self._body(key, answer), self._place(key))
            except S3Away as error:
                last = error
        raise Infrastructure(
            "unknown", f"{self._place(key)} broke off {READ_TRIES} times: {last}."
        ) from last

    def has(self, digest: str) -> bool:
        """Whether the store holds `digest`. Raises Infrastructure where it doesn't say."""
        key = self._key(digest)
        try:
            self._ask(key, lambda at: self._client.head_object(**at))
        except S3Refusal as refusal:
            if refusal.code in ABSENT:
                return False
            raise refused_by_s3(self._place(key), refusal) from refusal
        return True

    def stale(self, before: float) -> Iterator[tuple[str, int]]:
        """Every artifact written before `before` (epoch seconds), with its size in bytes.

        Raises Infrastructure.
        """
        page: dict[str, object] = {}
        while True:
            asked = {"Prefix": self._prefix, **page}
            answer = self._told("", lambda at, asked=asked: self._list(at, asked))
            for one in answer.get("Contents", []):
                name = str(one["Key"]).rpartition("/")[2]
                if one["LastModified"].timestamp() < before and is_name(name):
                    yield f"sha256:{name}", int(one["Size"])
            if not answer.get("IsTruncated"):
                return
            page = {"ContinuationToken": answer["NextContinuationToken"]}

    def remove(self, digest: str) -> None:
        """Remove an artifact; nothing happens where there is none. Raises Infrastructure."""
        self._told(self._key(digest), lambda at: self._client.delete_object(**at))

    def _list(self, at: Mapping[str, object], asked: Mapping[str, object]) -> dict[str, Any]:
        return self._client.list_objects_v2(Bucket=at["Bucket"], **asked)

    def _send_whole(self, digest: str, data: bytes) -> None:
        checksum = base64.b64encode(bytes.fromhex(digest.partition(":")[2])).decode()
        body = {"Body": data, "ContentLength": len(data), "ChecksumSHA256": checksum}
        self._create(digest, len(data), lambda at: self._client.put_object(**at, **body))

    def _send_parts(self, digest: str, chunks: Chunks, size: int) -> None:
        with suppress(Infrastructure):
            # A key that may not look sends everything.
            if self._is_fresh(digest, size):
                return
        self._sweep()
        key = self._key(digest)
        begun = self._told(key, lambda at: self._client.create_multipart_upload(**at))
        upload = {"UploadId": begun["UploadId"]}
        try:
            parts = {"MultipartUpload": {"Parts": self._upload(digest, chunks, size, upload)}}
            created = self._create(
                digest,
                size,
                lambda at: self._client.complete_multipart_upload(**at, **upload, **parts),
            )
        except BaseException:
            self._abort(key, upload)
            raise
        if not created:
            self._abort(key, upload)

    def _upload(
        self, digest: str, chunks: Chunks, size: int, upload: Mapping[str, object]
    ) -> list[dict[str, object]]:
        """Send all parts; what completes them. Raises Infrastructure where they aren't `digest`."""
        key, hashed = self._key(digest), hashlib.sha256()
        sent: list[dict[str, object]] = []
        for number, part in enumerate(_parts(chunks(), max(PART_BYTES, -(-size // MOST_PARTS))), 1):
            hashed.update(part)
            told = {**upload, "PartNumber": number, "Body": part, "ContentLength": len(part)}
            answer = self._told(key, lambda at, told=told: self._client.upload_part(**at, **told))
            sent.append({"PartNumber": number, "ETag": answer["ETag"]})
        if digest != f"sha256:{hashed.hexdigest()}":
            raise Infrastructure("unknown", f"{digest} changed while it was being kept.")
        return sent

    def _create(self, digest: str, size: int, write: Ask) -> bool:
        """Write where nothing is; false where the artifact turned out to be there.

        What is there under its name and is something else, or old, is written over. Raises
        Overtaken where somebody was at it too, and left none.
        """
        key = self._key(digest)
        if self._knows_conditions:
            try:
                self._ask(key, lambda at: write({**at, "IfNoneMatch": "*"}))
            except S3Refusal as refusal:
                if refusal.code not in UNKNOWN_CONDITION:
                    return self._create_beside(digest, size, write, refusal)
                self._knows_conditions = False
            else:
                return True
        self._told(key, write)
        return True

    def _create_beside(self, digest: str, size: int, write: Ask, refusal: S3Refusal) -> bool:
        """The same, after the server refused to write as if nothing were there."""
        key = self._key(digest)
        if refusal.code in CONFLICT:
            # A key that may not look has only this to go by: who else writes, writes these bytes.
            if self._is_fresh(digest, size, unseen=True):
                return False
            raise Overtaken from refusal
        if refusal.code not in TAKEN:
            raise refused_by_s3(self._place(key), refusal) from refusal
        return not self._is_fresh(digest, size) and self._write_over(key, write)

    def _write_over(self, key: str, write: Ask) -> bool:
        """False where the key may write only where nothing is: what is there stays."""
        try:
            self._ask(key, write)
        except S3Refusal as refusal:
            if refusal.code in DENIED:
                return False
            raise refused_by_s3(self._place(key), refusal) from refusal
        return True

    def _is_fresh(self, digest: str, size: int, *, unseen: bool = False) -> bool:
        """Whether the artifact is there and young, as far as the server says without sending it.

        `unseen` is the answer where the key may not ask.
        """
        key = self._key(digest)
        try:
            head = self._ask(key, lambda at: self._client.head_object(**at, ChecksumMode="ENABLED"))
        except S3Refusal as refusal:
            return unseen and refusal.code in DENIED
        if datetime.now(UTC) - head["LastModified"] > timedelta(seconds=FRESH_S):
            return False
        checksum = str(head.get("ChecksumSHA256", ""))
        whole = checksum and "-" not in checksum
        named = base64.b64encode(bytes.fromhex(digest.partition(":")[2])).decode()
        return head["ContentLength"] == size and (not whole or checksum == named)

    def _sweep(self) -> None:
        """Once for each process: remove the parts that processes which are gone had sent."""
        if self._swept:
            return
        self._swept = True
        old = datetime.now(UTC) - timedelta(seconds=DRAFT_AGE_S)
        ours = {"Bucket": self._bucket, "Prefix": self._prefix}
        with suppress(S3Refusal, S3Away), told_by_s3(self._place("")):
            for upload in self._client.list_multipart_uploads(**ours).get("Uploads", []):
                if upload["Initiated"] < old:
                    self._abort(upload["Key"], {"UploadId": upload["UploadId"]})

    def _abort(self, key: str, upload: Mapping[str, object]) -> None:
        with suppress(S3Refusal, S3Away), told_by_s3(self._place(key)):
            self._client.abort_multipart_upload(Bucket=self._bucket, Key=key, **upload)

    def _told(self, key: str, ask: Ask) -> dict[str, Any]:
        """What the server answers. Raises Infrastructure for every refusal."""
        try:
            return self._ask(key, ask)
        except S3Refusal as refusal:
            raise refused_by_s3(self._place(key), refusal) from refusal

    def _ask(self, key: str, ask: Ask) -> dict[str, Any]:
        with told_by_s3(self._place(key)):
            return ask({"Bucket": self._bucket, "Key": key})

    def _body(self, key: str, answer: Mapping[str, Any]) -> Iterator[bytes]:
        with told_by_s3(self._place(key)), closing(answer["Body"]) as body:
            while chunk := body.read(CHUNK):
                yield chunk

    def _absent(self, digest: str) -> NotFound:
        return NotFound(
            f"artifact {digest} is not in {self._place('')}.",
            remedy="Check GRADEFARM_ARTIFACTS_URL: every part of a farm needs the same store.",
        )

    def _key(self, digest: str) -> str:
        return f"{self._prefix}{place_of(digest)}"

    def _place(self, key: str) -> str:
        return f"s3://{self._bucket}/{key or self._prefix}"


def _parts(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in parts of `size`, the last one shorter."""
    waiting = bytearray()
    for chunk in chunks:
        waiting += chunk
        while len(waiting) >= size:
            yield bytes(waiting[:size])
            del waiting[:size]
    if waiting:
        yield bytes(waiting)
