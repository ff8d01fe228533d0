"""The common ground of every table: names of constraints, types of keys, closed sets.

All times are epoch seconds in UTC as floats: one clock type for both databases.
"""

from enum import StrEnum
from typing import Annotated

from sqlalchemy import BigInteger, Enum, Integer, MetaData
from sqlalchemy.orm import DeclarativeBase, mapped_column

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
"""So that a migration can name what it drops, on every database."""

BigId = BigInteger().with_variant(Integer, "sqlite")
"""64 bits on both: SQLite numbers rows by itself only when the type is called INTEGER."""

BigKey = Annotated[int, mapped_column(BigId, primary_key=True)]
SmallKey = Annotated[int, mapped_column(Integer, primary_key=True)]


class Base(DeclarativeBase):
    """Root of all tables."""

    metadata = MetaData(naming_convention=NAMES)


def closed_set(kind: type[StrEnum], constraint: str) -> Enum:
    """A text column that holds a value of `kind`, enforced by a named check."""
    return Enum(
        kind,
        name=constraint,
        native_enum=False,
        create_constraint=True,
        length=32,
        values_callable=_values,
    )


def _values(kind: type[StrEnum]) -> list[str]:
    return [member.value for member in kind]
