"""Whether what a campaign wants to be replayed can be done again, step by step."""

from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import JsonValue, ValidationError

from models.errors import InputFault, InvalidInput, NotFound
from models.schemas.agents import validate_settings
from models.schemas.campaign import CampaignSpec
from models.schemas.recording import Recording
from models.schemas.replay_settings import ReplaySettings
from models.schemas.transcript import Transcript
from models.storage.artifacts import ArtifactStore

REMEDY = "name transcripts of runs in which the farm saw every step (chat, scripted, command)"


def refuse_inexact_replays(artifacts: Callable[[], ArtifactStore], spec: CampaignSpec) -> None:
    """Raises InvalidInput for every recording that is not there or can't be replayed exactly.

    Of one in a folder of the agent workers only those know, if it is not here as well.
    """
    faults = [
        InputFault(f"systems[{place}].settings.recordings", f"{digest[:19]} {problem}", REMEDY)
        for place, system in enumerate(spec.systems)
        if system.agent == "replay"
        for digest, problem in _problems(artifacts, system.settings)
    ]
    if faults:
        raise InvalidInput("the campaign", faults)


def _problems(
    artifacts: Callable[[], ArtifactStore], settings: dict[str, JsonValue]
) -> Iterable[tuple[str, str]]:
    replay = validate_settings("replay", settings)
    assert isinstance(replay, ReplaySettings), "the agent replay has these settings"
    for digest in replay.recordings:
        if problem := _problem_at(artifacts, replay.folder, digest):
            yield digest, problem


def _problem_at(artifacts: Callable[[], ArtifactStore], folder: str, digest: str) -> str:
    try:
        if folder:
            return _problem_of((Path(folder) / digest.removeprefix("sha256:")).read_bytes())
        return _problem_of(artifacts().get(digest))
    except NotFound:
        return "is not among the farm's artifacts"
    except (OSError, ValueError):
        return ""


def _problem_of(data: bytes) -> str:
    """Why `data` can't be replayed; empty where it can."""
    try:
        told = Transcript.model_validate_json(data)
    except ValidationError:
        return _problem_of_other(data)
    if not told.is_seen:
        return (
            f"is of the agent {told.agent}: what its program told of itself is no step that "
            "anybody saw, and can't be done again exactly"
        )
    return ""


def _problem_of_other(data: bytes) -> str:
    try:
        Recording.model_validate_json(data)
    except ValidationError:
        return "is no transcript"
    return "is a recording that was imported: nobody knows the workspace that it began with"
