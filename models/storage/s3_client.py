"""The client for S3-compatible stores: how it is opened, and what its errors mean to the farm."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol, cast

# Boto3 ships no types.
from boto3.session import Session  # pyright: ignore[reportMissingTypeStubs]
from botocore.config import Config  # pyright: ignore[reportMissingTypeStubs]
from botocore.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    BotoCoreError,
    ClientError,
    NoCredentialsError,
)

from models.errors import Infrastructure

TRIES = 6
CONNECT_S, READ_S = 10, 60
NO_ROOM = frozenset(
    {"QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage"}
)
NO_ROOM_STATUS = 507
ABSENT = frozenset({"NoSuchKey", "404", "NotFound"})
TAKEN = frozenset({"PreconditionFailed", "412"})
"""Codes of a write that was only to be made where nothing is: something is there."""
CONFLICT = frozenset({"ConditionalRequestConflict", "409"})
"""Codes of the same: somebody wrote or removed it meanwhile. An upload in parts is gone then."""
UNKNOWN_CONDITION = frozenset({"NotImplemented", "501"})
DENIED = frozenset({"AccessDenied", "403", "Forbidden"})
REMEDIES = {
    "NoSuchBucket": "Create the bucket, or correct GRADEFARM_ARTIFACTS_URL.",
    "InvalidAccessKeyId": "Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    "SignatureDoesNotMatch": "Correct AWS_SECRET_ACCESS_KEY.",
    "AccessDenied": "Let this key do it: workers of the role agent need s3:PutObject, all others "
    "s3:GetObject and s3:ListBucket too, and who prunes s3:DeleteObject.",
}


class S3Client(Protocol):
    """What the farm uses of boto3's client; all methods take and give what S3's API says."""

    def put_object(self, **request: object) -> dict[str, Any]: ...

    def get_object(self, **request: object) -> dict[str, Any]: ...

    def head_object(self, **request: object) -> dict[str, Any]: ...

    def create_multipart_upload(self, **request: object) -> dict[str, Any]: ...

    def upload_part(self, **request: object) -> dict[str, Any]: ...

    def complete_multipart_upload(self, **request: object) -> dict[str, Any]: ...

    def abort_multipart_upload(self, **request: object) -> dict[str, Any]: ...

    def list_multipart_uploads(self, **request: object) -> dict[str, Any]: ...

    def list_objects_v2(self, **request: object) -> dict[str, Any]: ...

    def delete_object(self, **request: object) -> dict[str, Any]: ...


def open_s3_client(endpoint: str) -> S3Client:
    """A client that tries again by itself; `endpoint` is empty for Amazon's own servers.

    Keys, region and certificates come from where boto3 looks for them.
    """
    # Servers of others need not know checksums in trailers, nor names of buckets as hosts.
    config = Config(
        connect_timeout=CONNECT_S,
        read_timeout=READ_S,
        retries={"total_max_attempts": TRIES, "mode": "standard"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if endpoint else "auto"},
    )
    session = cast("Any", Session())
    region = session.region_name or ("us-east-1" if endpoint else None)
    client = session.client("s3", endpoint_url=endpoint or None, region_name=region, config=config)
    return cast("S3Client", client)


class S3Away(Infrastructure):
    """No whole answer came, however often it was tried."""


class S3Refusal(Exception):
    """The store answered that it will not do something; `code` is S3's word for why."""

    def __init__(self, code: str, status: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message


@contextmanager
def told_by_s3(what: str) -> Generator[None]:
    """Turn boto3's errors into S3Refusal, or S3Away where no whole answer came."""
    try:
        yield
    except ClientError as error:
        answer = cast("dict[str, Any]", error.response)
        told: dict[str, Any] = answer.get("Error", {})
        status = int(answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        code = str(told.get("Code", "")) or str(status)
        raise S3Refusal(code, status, str(told.get("Message", ""))) from error
    except NoCredentialsError as error:
        remedy = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE."
        raise S3Away("unknown", f"{what}: {error}.", remedy=remedy) from error
    except BotoCoreError as error:
        remedy = "See that the store runs, and that GRADEFARM_S3_ENDPOINT names it."
        raise S3Away("unknown", f"{what}: {error}.", remedy=remedy) from error


def refused_by_s3(what: str, refusal: S3Refusal) -> Infrastructure:
    """What a refusal means to the farm: no room, or something that a person has to put right."""
    full = refusal.code in NO_ROOM or refusal.status == NO_ROOM_STATUS
    code = "AccessDenied" if refusal.code in DENIED else refusal.code
    remedy = "Make room there, or raise the quota." if full else REMEDIES.get(code, "")
    category = "disk_full" if full else "unknown"
    message = f"{what}: {refusal.code}: {refusal.message.rstrip('.')}."
    return Infrastructure(category, message, remedy=remedy)
