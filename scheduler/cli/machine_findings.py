"""What the scheduler's side of a farm needs of a machine: looked at, not assumed."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from models.errors import FarmError
from models.migrations.upgrade import database_revision, newest_revision
from models.private_files import who_else_reads
from models.records.signing_keys import KeyRole
from models.schemas.finding import Finding, Severity
from models.settings import Settings, broker_socket
from models.storage.key_folder import KeyFolder
from models.storage.transaction import DATABASE_ERRORS, open_database
from scheduler.embedded_farm.broker import broker_answers, find_broker_binary
from scheduler.embedded_farm.database_file import database_exists
from scheduler.embedded_farm.home_lock import holder_of

LEAST_FREE_BYTES = 2 * 1024**3


def machine_findings(settings: Settings) -> Iterator[Finding]:
    """Python, versions, home, disk, broker, database and Flower."""
    yield _fine("farm", "gradefarm", f"version {version('gradefarm')}")
    yield _fine("farm", "python", f"{platform.python_version()} at {sys.executable}")
    home = _home(settings)
    yield home
    yield _disk("disk", settings.home)
    if _device(settings.scratch) != _device(settings.home):
        yield _disk("scratch disk", settings.scratch)
    # Nothing can be asked that lies in a home that nobody can enter.
    if home.severity is Severity.FINE:
        yield _running(settings)
        yield _signing_keys(settings)
        yield _broker(settings)
        yield _database(settings)
    yield _fine("services", "flower", f"version {version('flower')}, celery {version('celery')}")


def _fine(area: str, name: str, text: str) -> Finding:
    return Finding(area=area, name=name, severity=Severity.FINE, text=text)


def _fatal(area: str, name: str, text: str, remedy: str) -> Finding:
    return Finding(area=area, name=name, severity=Severity.FATAL, text=text, remedy=remedy)


def _home(settings: Settings) -> Finding:
    existing = _nearest(settings.home)
    if not existing.is_dir():
        remedy = "Move it away, or set GRADEFARM_HOME to a folder."
        return _fatal("farm", "home", f"{settings.home}: {existing} is not a folder", remedy)
    if not os.access(existing, os.W_OK | os.X_OK):
        remedy = "Make it yours, or set GRADEFARM_HOME to a folder that you can write."
        return _fatal("farm", "home", f"{settings.home}: {existing} can't be written", remedy)
    return _fine("farm", "home", f"{settings.home} (GRADEFARM_HOME chooses another)")


def _running(settings: Settings) -> Finding:
    holder = holder_of(settings.home)
    text = f"process {holder}" if holder else "no farm runs in this home; `gradefarm up` starts one"
    return _fine("farm", "running", text)


def _signing_keys(settings: Settings) -> Finding:
    folder = KeyFolder(settings.keys)
    paths = [path for role in KeyRole if (path := folder.path(role)).is_file()]
    if open_to_others := [told for path in paths if (told := who_else_reads(path))]:
        text = f"{settings.keys}: {'; '.join(open_to_others)}"
        remedy = "Close them; `gradefarm keys rotate` replaces what somebody may have read."
        return Finding(
            area="farm", name="signing keys", severity=Severity.LACK, text=text, remedy=remedy
        )
    return _fine("farm", "signing keys", f"{len(paths)} in {settings.keys} (GRADEFARM_KEYS)")


def _disk(name: str, place: Path) -> Finding:
    free = shutil.disk_usage(_nearest(place)).free
    text = f"{free / 1024**3:.1f} GiB free for {place}"
    if free >= LEAST_FREE_BYTES:
        return _fine("farm", name, text)
    remedy = "Make room: workspaces and results need 2 GiB or more."
    return Finding(area="farm", name=name, severity=Severity.LACK, text=text, remedy=remedy)


def _nearest(place: Path) -> Path:
    """The deepest folder on the way to `place` that exists."""
    # Not Path.exists, which raises where a folder on the way can't be entered.
    while not os.path.exists(place):  # noqa: PTH110
        place = place.parent
    return place


def _device(place: Path) -> int:
    return _nearest(place).stat().st_dev


def _broker(settings: Settings) -> Finding:
    if not settings.embedded_broker:
        return _fine("services", "broker", "yours (GRADEFARM_BROKER_URL); not looked at")
    try:
        binary = find_broker_binary()
    except FarmError as error:
        return _fatal("services", "broker", error.message, error.remedy)
    state = "answers" if broker_answers(broker_socket(settings.home)) else "not running"
    return _fine("services", "broker", f"{binary.version.split(' sha=')[0]}; {state}")


def _database(settings: Settings) -> Finding:
    if not database_exists(settings.database_url):
        return _fine("services", "database", "none yet; `gradefarm up` makes one")
    try:
        database = open_database(settings.database_url)
        found, newest = database_revision(database), newest_revision()
        database.close()
    except FarmError as error:
        return _fatal("services", "database", error.message, error.remedy)
    except DATABASE_ERRORS as error:
        remedy = "Start it, or check GRADEFARM_DATABASE_URL."
        return _fatal("services", "database", str(error).splitlines()[0], remedy)
    if found != newest:
        remedy = "`gradefarm db upgrade` migrates it; so does `gradefarm up`."
        text = f"at {found or 'no schema'}, this gradefarm needs {newest}"
        return Finding(
            area="services", name="database", severity=Severity.LACK, text=text, remedy=remedy
        )
    return _fine("services", "database", f"at the newest schema, {newest}")
