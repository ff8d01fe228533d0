"""Opens the stores that the settings name, for those who may read and for agent workers."""

import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from models.errors import Infrastructure, InputFault, InvalidInput
from models.settings import Settings
from models.storage.artifacts import ArtifactStore, FolderArtifacts, PrunableStore
from models.storage.joined_artifacts import JoinedArtifacts

if TYPE_CHECKING:
    # An extra, and slow to import: only farms that use it pay for it.
    from models.storage.s3_artifacts import S3Artifacts

MAIN = "GRADEFARM_ARTIFACTS_URL"
OF_AGENTS = "GRADEFARM_AGENT_ARTIFACTS_URL"


def open_farm_artifacts(settings: Settings) -> ArtifactStore:
    """The store of graders, scheduler and people: they read what agents keep too.

    Raises as `open_artifacts`.
    """
    own = open_artifacts(settings.artifacts_url, settings.s3_endpoint)
    if settings.agent_artifacts_url == settings.artifacts_url:
        return own
    endpoint, url = settings.s3_endpoint, settings.agent_artifacts_url
    return JoinedArtifacts(own, open_artifacts(url, endpoint, OF_AGENTS, foreign=True))


def open_prunable_stores(settings: Settings) -> tuple[PrunableStore, ...]:
    """Every store of the farm, each once. Raises as `open_artifacts`."""
    places = {settings.agent_artifacts_url: OF_AGENTS, settings.artifacts_url: MAIN}
    endpoint = settings.s3_endpoint
    return tuple(
        _open_store(url, endpoint, name, foreign=name == OF_AGENTS) for url, name in places.items()
    )


def open_agent_artifacts(settings: Settings) -> ArtifactStore:
    """The only store that a worker of the role agent opens. Raises as `open_artifacts`."""
    return open_artifacts(settings.agent_artifacts_url, settings.s3_endpoint, OF_AGENTS)


def open_artifacts(
    url: str, s3_endpoint: str = "", setting: str = MAIN, *, foreign: bool = False
) -> ArtifactStore:
    """The store at `url`: `file://<absolute folder>`, or `s3://<bucket>/<prefix>`.

    `foreign` says that others than the own graders write to it. `setting` is named in errors.
    Raises InvalidInput for other kinds, Infrastructure where this machine has no client for S3.
    """
    return _open_store(url, s3_endpoint, setting, foreign=foreign)


def _open_store(
    url: str, s3_endpoint: str, setting: str, *, foreign: bool
) -> "FolderArtifacts | S3Artifacts":
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc:
        store = FolderArtifacts(Path(unquote(parts.path)), foreign=foreign)
        if not foreign:
            store.sweep(time.time())
        return store
    if parts.scheme == "s3" and parts.netloc and not parts.query and not parts.fragment:
        return _open_s3(parts.netloc, unquote(parts.path).strip("/"), s3_endpoint)
    fault = InputFault(
        setting,
        f"{url!r} is not a store that the farm can use",
        "give file:// and an absolute folder, or s3://<bucket>/<prefix>",
    )
    raise InvalidInput("the environment", [fault])


def _open_s3(bucket: str, prefix: str, endpoint: str) -> "S3Artifacts":
    try:
        from models.storage.s3_artifacts import open_s3_artifacts  # noqa: PLC0415
    except ImportError as error:
        if error.name not in {"boto3", "botocore"}:
            raise
        raise Infrastructure(
            "farm",
            f"s3://{bucket} is an S3 store, and boto3 is not installed here: {error}.",
            remedy="Install the `s3` extra: `.venv/bin/pip install -e '.[s3]'`.",
        ) from error
    return open_s3_artifacts(bucket, prefix, endpoint)
