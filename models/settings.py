"""The one file that reads the environment."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError, field_validator

from models.errors import InputFault, InvalidInput
from models.schemas.base import Schema
from models.schemas.lease import LeaseTerms

PREFIX = "GRADEFARM_"
FROM_FILE = "_FILE"
MAY_HOLD_A_PASSWORD = ("_url", "_login", "_endpoint", "server", "token")
"""Ends of the names of settings whose values no message may show."""
UNIX_SOCKET_PATH_BYTES = 100
BROKERS = ("redis://", "rediss://", "redis+socket://")
"""Elsewhere a busy worker keeps messages to itself that others could do: see decision 32."""


class Settings(Schema):
    """Where a farm keeps its things and how patient it is. Times in seconds.

    Every process of one farm needs the same database, broker, artifacts and lease.
    home: the farm's folder. scratch: workspaces of runs, readable for sandbox users.
    database_url, broker_url, artifacts_url: empty means embedded, below `home`.
    keys: the folder of the private keys that this machine signs records with.
    agent_artifacts_url: where workers of the role agent put what they keep; they open no other.
    s3_endpoint: the server of s3:// addresses; empty means Amazon's.
    metrics_port: None serves no metrics.
    log: the form of logs; `auto` is text on a terminal, else JSON.
    server: the address of a farm elsewhere that commands are about; empty: this machine's farm.
    token: who asks there; without one, what `token_file` holds, if there is such a file.
    flower_login: `user:password`; empty means one of the farm's own, kept in `home`.
    gateway_config: the gateway's file; a farm without one has no gateway, unless `gateway_url` says
    where one is: http(s)://, or unix:// and a path; empty: this farm's own, below `home`.
    gateway_token: what workers show it; empty: what the gateway wrote below `home`.
    """

    home: Path
    scratch: Path
    database_url: str
    broker_url: str
    artifacts_url: str
    agent_artifacts_url: str
    s3_endpoint: str
    catalog_public: Path
    catalog_sealed: Path | None
    languages: Path
    keys: Path = Path("keys")
    lease: LeaseTerms = LeaseTerms()
    tick_s: float = Field(default=0.1, gt=0, le=60)
    queue_window: int = Field(default=64, ge=1)
    shutdown_s: float = Field(default=3_600.0, ge=0, le=86_400)
    allow_unisolated: bool = False
    flower_port: int = Field(default=5555, ge=0, le=65_535)
    metrics_port: int | None = Field(default=None, ge=0, le=65_535)
    metrics_address: str = "127.0.0.1"
    log: Literal["json", "text", "auto"] = "auto"
    server: str = ""
    token: SecretStr = SecretStr("")
    token_file: Path = Path("token")
    flower_address: str = "127.0.0.1"
    flower_login: SecretStr = SecretStr("")
    gateway_config: Path = Path("gateway.toml")
    gateway_url: str = ""
    gateway_token: SecretStr = SecretStr("")

    @field_validator("gateway_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        if url and not url.startswith(("http://", "https://", "unix:///")):
            raise ValueError("must begin with http://, https:// or unix:///")
        return url.rstrip("/")

    @field_validator("broker_url")
    @classmethod
    def _is_a_redis(cls, broker_url: str) -> str:
        if not broker_url.startswith(BROKERS):
            kinds = ", ".join(f"{kind}…" for kind in BROKERS)
            raise ValueError(f"must name a Redis or a Valkey ({kinds}); no other broker will do")
        return broker_url

    @property
    def embedded_broker(self) -> bool:
        """Whether the farm starts its own broker."""
        return self.broker_url == default_broker_url(self.home)

    @property
    def has_gateway(self) -> bool:
        """Whether this farm has a gateway to language models, here or elsewhere."""
        return bool(self.gateway_url) or self.gateway_config.is_file()

    @property
    def gateway_address(self) -> str:
        """Where its gateway is, or would be."""
        return self.gateway_url or f"unix://{gateway_socket(self.home)}"


def default_home(environ: Mapping[str, str]) -> Path:
    """`GRADEFARM_HOME`, else the XDG state folder."""
    if chosen := environ.get(PREFIX + "HOME"):
        return Path(chosen).absolute()
    state = environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "gradefarm"


def default_token_file(environ: Mapping[str, str]) -> Path:
    """`gradefarm/token` in the XDG folder of configurations."""
    folder = environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(folder) / "gradefarm" / "token"


def default_scratch(home: Path) -> Path:
    """Root runs sandboxes under other users, which can't reach into a private home."""
    if os.geteuid() != 0:
        return home / "scratch"
    name = hashlib.sha256(str(home).encode()).hexdigest()[:12]
    return Path("/var/tmp") / f"gradefarm-{name}"


def broker_socket(home: Path) -> Path:
    """The embedded broker's socket; short enough for a unix socket address."""
    return _short_socket(home, "broker")


def gateway_socket(home: Path) -> Path:
    """The socket of this farm's own gateway; as short."""
    return _short_socket(home, "gateway")


def _short_socket(home: Path, part: str) -> Path:
    path = home / part / f"{part}.sock"
    if len(str(path).encode()) <= UNIX_SOCKET_PATH_BYTES:
        return path
    name = hashlib.sha256(str(home).encode()).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"gradefarm-{os.geteuid()}-{name}" / f"{part}.sock"


def default_broker_url(home: Path) -> str:
    """The embedded broker over its unix socket."""
    return f"redis+socket://{broker_socket(home)}"


def with_files_read(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with each `GRADEFARM_X_FILE` replaced by `GRADEFARM_X`: what that file holds.

    So a password need not be in an environment. Raises InvalidInput for files that can't be read.
    """
    known = {name: value for name, value in environ.items() if not _names_a_file(name)}
    faults: list[InputFault] = []
    for name, path in environ.items():
        if not _names_a_file(name) or not path:
            continue
        try:
            known[name.removesuffix(FROM_FILE)] = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = f"{path} can't be read ({type(error).__name__})"
            faults.append(InputFault(name, reason, "name a file that this user can read"))
    if faults:
        raise InvalidInput("the environment", faults)
    return known


def _aws_endpoint(environ: Mapping[str, str]) -> str:
    """What the tools of Amazon's cloud read too."""
    return environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL") or ""


def _names_a_file(name: str) -> bool:
    return name.startswith(PREFIX) and name.endswith(FROM_FILE)


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Settings from `GRADEFARM_*` variables, or from the files that `GRADEFARM_*_FILE` name.

    Raises InvalidInput that names every variable that can't be read.
    """
    try:
        return Settings.model_validate(_as_given(with_files_read(environ)))
    except ValidationError as error:
        faults = [
            _fault(str(item["loc"][-1]), item["msg"], item["input"]) for item in error.errors()
        ]
        raise InvalidInput("the environment", faults) from None


def _as_given(environ: Mapping[str, str]) -> dict[str, object]:
    """Every setting as text, or its default."""
    home = default_home(environ)
    catalog = Path(__file__).resolve().parent.parent / "tasks_catalog"

    def text(name: str, default: str) -> str:
        return environ.get(PREFIX + name) or default

    sealed = environ.get(PREFIX + "CATALOG_SEALED", str(catalog / "bundled"))
    return {
        "home": home,
        "scratch": text("SCRATCH", str(default_scratch(home))),
        "database_url": text("DATABASE_URL", f"sqlite:///{home / 'farm.db'}"),
        "broker_url": text("BROKER_URL", default_broker_url(home)),
        "artifacts_url": text("ARTIFACTS_URL", f"file://{home / 'artifacts'}"),
        "agent_artifacts_url": text(
            "AGENT_ARTIFACTS_URL", text("ARTIFACTS_URL", f"file://{home / 'artifacts'}")
        ),
        "s3_endpoint": text("S3_ENDPOINT", _aws_endpoint(environ)),
        "catalog_public": text("CATALOG_PUBLIC", str(catalog / "bundled")),
        "catalog_sealed": sealed or None,
        "languages": text("LANGUAGES", str(catalog / "languages")),
        "keys": text("KEYS", str(home / "keys")),
        "lease": {
            "lease_s": text("LEASE_S", "60"),
            "beat_s": text("BEAT_S", "15"),
            "queue_slot_s": text("QUEUE_SLOT_S", "120"),
        },
        "tick_s": text("TICK_S", "0.1"),
        "queue_window": text("QUEUE_WINDOW", "64"),
        "shutdown_s": text("SHUTDOWN_S", "3600"),
        "allow_unisolated": text("ALLOW_UNISOLATED", "false"),
        "flower_port": text("FLOWER_PORT", "5555"),
        "metrics_port": text("METRICS_PORT", "") or None,
        "metrics_address": text("METRICS_ADDRESS", "127.0.0.1"),
        "log": text("LOG", "auto"),
        "server": text("SERVER", ""),
        "token": text("TOKEN", ""),
        "token_file": default_token_file(environ),
        "flower_address": text("FLOWER_ADDRESS", "127.0.0.1"),
        "flower_login": text("FLOWER_LOGIN", ""),
        "gateway_config": text("GATEWAY_CONFIG", str(home / "gateway.toml")),
        "gateway_url": text("GATEWAY_URL", ""),
        "gateway_token": text("GATEWAY_TOKEN", ""),
    }


def _fault(name: str, problem: str, value: object) -> InputFault:
    told = "" if name.endswith(MAY_HOLD_A_PASSWORD) else f" (got {value!r})"
    remedy = "set it to a value of that kind, or unset it"
    return InputFault(PREFIX + name.upper(), f"{problem}{told}", remedy)


@cache
def current_settings() -> Settings:
    """The settings of this process, read once."""
    return read_settings(os.environ)


def use_server(address: str) -> None:
    """Let this process be about the farm at `address`; empty: about that of this machine.

    The same as GRADEFARM_SERVER.
    """
    os.environ.pop(PREFIX + "SERVER" + FROM_FILE, None)
    os.environ[PREFIX + "SERVER"] = address
    current_settings.cache_clear()


def allow_unisolated_runs() -> None:
    """Let this process and all that it starts work where no complete sandbox can be had.

    The same as GRADEFARM_ALLOW_UNISOLATED=true. Results made so are marked.
    """
    os.environ[PREFIX + "ALLOW_UNISOLATED"] = "true"
    current_settings.cache_clear()


def process_environment() -> dict[str, str]:
    """A copy of this process's environment, for child processes of the farm's own."""
    return dict(os.environ)


def search_path() -> str:
    """The PATH of this process."""
    return os.environ.get("PATH", os.defpath)


def running_in_ci() -> bool:
    """Whether missing services must fail tests instead of skipping them."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}
