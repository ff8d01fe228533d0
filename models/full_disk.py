"""Tells a database whose disk is full from one that is away: the remedies differ."""

from models.errors import Infrastructure

SQLITE_FULL = "SQLITE_FULL"
POSTGRESQL_FULL = "53100"
"""The SQLSTATE `disk_full`."""


def is_disk_full(error: Exception) -> bool:
    """Whether an error of SQLAlchemy is a driver's word that the disk of the database is full."""
    driver = getattr(error, "orig", None)
    return (
        getattr(driver, "sqlite_errorname", "") == SQLITE_FULL
        or getattr(driver, "sqlstate", "") == POSTGRESQL_FULL
    )


def disk_full() -> Infrastructure:
    """What a person is told of it."""
    return Infrastructure(
        "disk_full",
        "the disk below the database is full: nothing more can be written.",
        remedy="Free space on the disk that holds the database (GRADEFARM_DATABASE_URL; without "
        "it farm.db in GRADEFARM_HOME), then do it again: what was not written is not there.",
    )
