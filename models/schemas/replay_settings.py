"""The settings of the agent that feeds recorded runs again."""

from typing import Annotated

from pydantic import Field

from models.schemas.base import Schema

TranscriptDigest = Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$")]


class ReplaySettings(Schema):
    """Which runs are fed again.

    recordings: digests of their transcripts. A run takes those of its own task and language: the
    first repeat the first of them, the next the second, and round again.
    folder: where agent workers find them as files that are named by the digits of their digests;
    empty: among the farm's artifacts.
    """

    recordings: tuple[TranscriptDigest, ...] = Field(min_length=1)
    folder: str = ""
