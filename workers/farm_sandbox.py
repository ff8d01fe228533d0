"""The sandbox of this farm: where it keeps its things, and what it must never show."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from models.settings import Settings
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.scratch_folder import claim_scratch
from workers.sandbox.selection import select_sandbox
from workers.sandbox.unisolated import UnisolatedSandbox

SQLITE = "sqlite:///"


def open_sandbox(settings: Settings, driver: str = "") -> Sandbox:
    """The sandbox of this machine, which shows nothing of what the farm holds.

    With `driver`, exactly that one: what was probed must be what is used. Raises Refused for a
    scratch folder that isn't ours, IsolationUnavailable where no sandbox starts.
    """
    hidden = secret_places(settings)
    if driver == UnisolatedSandbox.name:
        return UnisolatedSandbox(claim_scratch(settings.scratch), hidden)
    allowed = settings.allow_unisolated and not driver
    return select_sandbox(settings.scratch, allow_unisolated=allowed, hidden=hidden)


def secret_places(settings: Settings) -> tuple[Path, ...]:
    """The folders of answer keys, results and other runs: no program that is judged, and no
    agent, may look into them."""
    places = [settings.home, settings.scratch]
    if settings.catalog_sealed is not None:
        places.append(settings.catalog_sealed)
    for url in (settings.artifacts_url, settings.agent_artifacts_url):
        artifacts = urlsplit(url)
        if artifacts.scheme == "file":
            places.append(Path(unquote(artifacts.path)))
    if settings.database_url.startswith(SQLITE):
        places.append(Path(settings.database_url.removeprefix(SQLITE)).parent)
    return tuple(places)
