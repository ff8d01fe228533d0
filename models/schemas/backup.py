"""What a backup says of itself."""

from typing import Literal

from pydantic import Field

from models.schemas.base import Schema


class KeptTable(Schema):
    """One file of rows. `digest` is that of its lines as they are before compression."""

    rows: int = Field(ge=0)
    digest: str


class BackupRecord(Schema):
    """The content of `backup.json`, written last: a folder without it is no backup.

    `revision` is the schema that the rows are in. `artifacts` is the list of the artifacts that
    belong to it; `missing` ones were named by rows and were not, or not whole, in the store.
    `boards` maps every campaign that had ended to the digest of its board.
    """

    schema_version: Literal[1] = 1
    farm_version: str
    revision: str
    made_at: float
    tables: dict[str, KeptTable]
    artifacts: KeptTable
    missing: tuple[str, ...] = ()
    boards: dict[str, str] = Field(default_factory=dict)
