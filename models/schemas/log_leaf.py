"""The leaves of the farm's log."""

from typing import Annotated, Literal

from pydantic import Field

from models.schemas.base import FirstVersion, Schema
from models.schemas.record_statement import Hex
from models.schemas.trust import PublicKey


class _Leaf(Schema):
    """What all leaves have."""

    v: FirstVersion


class RunOpenLeaf(_Leaf):
    """An attempt to record a run began; `line` is the SHA-256 of its run.open."""

    kind: Literal["run.open"]
    run: str
    attempt: int
    line: Hex


class RunVoidLeaf(_Leaf):
    """An attempt ended without a record that counts."""

    kind: Literal["run.void"]
    run: str
    attempt: int
    category: str


class RunCloseLeaf(_Leaf):
    """A run was graded. `opened` names the open leaf, `payload` is the SHA-256 of what the grader
    signed."""

    kind: Literal["run.close"]
    run: str
    opened: Hex
    payload: Hex


class RunRegradeLeaf(_Leaf):
    """A run was graded again, as the run `graded_as`; `earlier` names the leaf of the grading that
    it was made from, and is empty where that came to nothing."""

    kind: Literal["run.regrade"]
    run: str
    opened: Hex
    payload: Hex
    graded_as: str
    earlier: str = Field(pattern="^([0-9a-f]{64})?$")
    why: str


class KeyLeaf(_Leaf):
    """A key becomes good, or ends; `signed` are the signatures by those who say so, in base64."""

    kind: Literal["farm.key"]
    log: str
    action: Literal["add", "retire", "revoke"]
    role: Literal["recorder", "grader", "log"]
    public: PublicKey
    signed: dict[str, str]


class RestoredLeaf(_Leaf):
    """The farm was restored from a backup in which its log had `size` leaves: it went on from
    there, and what it held beyond is lost."""

    kind: Literal["farm.restored"]
    log: str
    size: int = Field(ge=0)


RunLeaf = RunOpenLeaf | RunVoidLeaf | RunCloseLeaf | RunRegradeLeaf
FarmLeaf = KeyLeaf | RestoredLeaf
LogLeaf = Annotated[RunLeaf | FarmLeaf, Field(discriminator="kind")]
