"""From the settings to an open gateway: its file, its keys, its token, its parts."""

import logging
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry

from models.clock import Clock
from models.errors import InputFault, InvalidInput, NotFound
from models.event_log import event
from models.settings import Settings
from models.storage.artifact_opening import open_agent_artifacts
from workers.model_gateway.call_desk import CallDesk
from workers.model_gateway.call_plan import GatewayTools
from workers.model_gateway.call_room import CallRoom
from workers.model_gateway.configuration import GatewayConfiguration
from workers.model_gateway.gateway_file import read_gateway_file
from workers.model_gateway.gateway_server import Gateway
from workers.model_gateway.grant_book import GrantBook
from workers.model_gateway.journal import Journal
from workers.model_gateway.kept_bodies import KeptBodies
from workers.model_gateway.provider_health import ProviderHealth
from workers.model_gateway.provider_limits import ProviderLimits
from workers.model_gateway.recorded_upstream import RecordedUpstream, RecordingUpstream
from workers.model_gateway.secrets_filter import SecretsFilter
from workers.model_gateway.tallies import GatewayTallies
from workers.model_gateway.token_counting import TokenCounting
from workers.model_gateway.upstream import HttpUpstream, Upstream

_LOG = logging.getLogger(__name__)
FOLDER, TOKEN_FILE = "gateway", "token"
SHORTEST_TOKEN = 32
"""Characters of one that a farm made itself."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """Where to answer from, or where to write answers to; at most one of them."""

    replay: Path | None = None
    record: Path | None = None


def open_gateway(
    settings: Settings,
    recordings: Recordings,
    clock: Clock,
    registry: CollectorRegistry,
) -> Gateway:
    """Everything of a gateway but its server. Raises InvalidInput, NotFound, Infrastructure."""
    file = read_gateway_file(settings.gateway_config, with_keys=recordings.replay is None)
    for warning in file.warnings:
        _LOG.warning("", extra=event("key_readable", text=warning))
    configuration, keys = file.configuration, file.keys
    folder = settings.home / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    token = settings.gateway_token.get_secret_value() or own_token(settings.home)
    hidden = SecretsFilter([*keys.values(), token])
    upstream = _upstream(configuration, keys, recordings, hidden)
    limits = {
        name: ProviderLimits(provider.concurrent, provider.starts_per_minute, clock)
        for name, provider in configuration.providers.items()
    }
    tallies = GatewayTallies(registry, configuration.providers)
    tallies.watch_disk(folder)
    tools = GatewayTools(
        upstream=upstream,
        limits=limits,
        bodies=KeptBodies(open_agent_artifacts(settings), hidden),
        secrets=hidden,
        clock=clock,
        tallies=tallies,
        health=ProviderHealth(upstream, limits, clock),
    )
    desk = CallDesk(configuration, tools)
    return Gateway(
        grants=GrantBook(configuration, Journal(folder / "grants"), clock),
        desk=desk,
        counting=TokenCounting(configuration, desk, tools),
        room=CallRoom(),
        tallies=tallies,
        token=token,
        upstream=upstream,
    )


def own_token(home: Path) -> str:
    """The token of this farm's own gateway, made at first use; only this user can read it.

    Raises InvalidInput for a file that holds none.
    """
    path = token_path(home)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{TOKEN_FILE}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    with draft.open("w", encoding="utf-8") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        # Whoever comes first decides, whole.
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    token = path.read_text(encoding="utf-8", errors="replace").strip()
    if len(token) < SHORTEST_TOKEN or not token.isascii():
        remedy = "remove it: it is made anew; then start gateway and agent workers again"
        raise InvalidInput(str(path), [InputFault("token", "is no token", remedy)])
    return token


def token_path(home: Path) -> Path:
    """Where the token is kept."""
    return home / FOLDER / TOKEN_FILE


def _upstream(
    configuration: GatewayConfiguration,
    keys: Mapping[str, str],
    recordings: Recordings,
    hidden: SecretsFilter,
) -> Upstream:
    if recordings.replay is not None:
        if not recordings.replay.is_dir():
            raise NotFound(f"{recordings.replay} is no folder.", remedy="Record one: --record.")
        return RecordedUpstream(recordings.replay)
    asked = HttpUpstream(configuration.providers, keys)
    if recordings.record is None:
        return asked
    return RecordingUpstream(asked, recordings.record, hidden)
