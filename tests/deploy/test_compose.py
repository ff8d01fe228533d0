"""The compose file: valid by the schema of its specification, each part with the reach it needs."""

import hashlib
import json
import re
import stat
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import jsonschema
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from models.messaging.celery_factory import KEY_PREFIX
from models.records.signing_keys import KeyRole
from models.storage.key_folder import KeyFolder
from tests.deploy.deploy_files import (
    DEPLOY,
    Document,
    go_module,
    image_environment,
    last,
    read_yaml,
    run_tool,
    stages,
    tool,
)
from workers.model_gateway.configuration import parse_configuration

COMPOSE = DEPLOY / "compose"
OWN = {"scheduler", "agent", "grade", "api", "flower", "gateway", "migrate"}
HANDS = {"agent", "grade"}
COMPOSE_GO = ("github.com/compose-spec/compose-go/v2", "v2.16.2")


@pytest.fixture(scope="module")
def compose() -> Document:
    return read_yaml("compose", "compose.yaml")


def named(entries: list[str] | None) -> set[str]:
    """The named volumes among mounts."""
    return {entry.split(":")[0] for entry in entries or [] if not entry.startswith(("/", "."))}


def test_the_file_is_valid_by_the_schema_of_the_compose_specification(compose: Document) -> None:
    schema = json.loads((go_module(*COMPOSE_GO) / "schema" / "compose-spec.json").read_text())
    faults = list(jsonschema.Draft7Validator(schema).iter_errors(compose))
    assert not faults, [(list(fault.path), fault.message) for fault in faults]


def test_whatever_a_service_names_is_declared_and_whatever_is_declared_is_named(
    compose: Document,
) -> None:
    services = compose["services"].values()
    for kind, used in {
        "secrets": {name for one in services for name in one.get("secrets", [])},
        "networks": {name for one in services for name in one.get("networks", [])},
        "volumes": {name for one in services for name in named(one.get("volumes"))},
    }.items():
        assert used == set(compose[kind]), kind
    for one in services:
        assert set(one.get("depends_on", {})) <= set(compose["services"])
        for on, condition in one.get("depends_on", {}).items():
            awaited = compose["services"][on]
            if condition["condition"] == "service_healthy":
                assert "healthcheck" in awaited
            else:
                assert awaited["restart"].startswith("on-failure")


def test_every_file_that_is_mounted_is_there(compose: Document) -> None:
    for one in compose["services"].values():
        sources = [v.split(":")[0] for v in one.get("volumes", []) if v.startswith(".")]
        sources += one.get("env_file", [])
        sources += [o.split("=")[1] for o in one.get("security_opt", []) if "seccomp=." in o]
        for source in sources:
            assert (COMPOSE / source).exists(), source


def test_no_password_stands_in_the_file_or_in_an_environment(compose: Document) -> None:
    for name, one in compose["services"].items():
        for variable, value in (one.get("environment") or {}).items():
            if re.search(r"PASSWORD|SECRET|TOKEN|LOGIN|_URL", variable):
                is_place = variable.endswith("_FILE") or str(value).startswith(("file:///", "http"))
                assert is_place, (name, variable)
    for secret in compose["secrets"].values():
        assert secret["file"].startswith("./secrets/")
    ignored = (DEPLOY / "compose" / ".gitignore").read_text().splitlines()
    assert "secrets/" in ignored


def test_an_agent_shares_nothing_with_answers_and_results(compose: Document) -> None:
    services = compose["services"]
    agent = services["agent"]
    assert "truth" not in agent["networks"]
    assert named(agent["volumes"]) == {"agent-artifacts"}
    others = {"agent_database_url", "broker_url", "gateway_token"}
    assert set(agent["secrets"]) == {*others, "recorder.pem"}
    assert "GRADEFARM_ARTIFACTS_URL" not in agent["environment"]
    reached = {
        name
        for name, one in services.items()
        if name != "agent" and set(one["networks"]) & set(agent["networks"])
    }
    assert reached == {"database", "broker", "prometheus", "gateway"}
    assert all(compose["networks"][name]["internal"] for name in agent["networks"])


def test_whoever_can_dial_out_reaches_no_database_but_for_the_api(compose: Document) -> None:
    services = compose["services"]
    open_networks = {name for name, one in compose["networks"].items() if not one.get("internal")}
    assert open_networks == {"edge", "outside"}
    assert [name for name, one in services.items() if "outside" in one["networks"]] == ["gateway"]
    dials_out = {name for name, one in services.items() if "edge" in one["networks"]}
    database = set(services["database"]["networks"])
    assert {n for n in dials_out if database & set(services[n]["networks"])} == {"api"}
    words = services["prometheus"]["command"]
    assert not [word for word in words if re.match(r"--web\.enable-(lifecycle|admin-api)", word)]


def test_only_the_gateway_holds_the_providers_keys_and_nothing_of_the_farm_is_near_it(
    compose: Document,
) -> None:
    services = compose["services"]
    holders = [name for name, one in services.items() if "provider_key" in one.get("secrets", [])]
    assert holders == ["gateway"]
    gateway = services["gateway"]
    assert set(gateway["secrets"]) == {"gateway_token", "provider_key"}
    assert not {"truth", "doorbell", "watch", "edge"} & set(gateway["networks"])
    near = {n for n, one in services.items() if set(one["networks"]) & set(gateway["networks"])}
    assert near == {"gateway", "agent", "prometheus"}
    assert "GRADEFARM_DATABASE_URL_FILE" not in gateway["environment"]
    text = (COMPOSE / "gateway.toml").read_text()
    served = parse_configuration(text, "gateway.toml")
    assert {p.key_file for p in served.providers.values()} == {"/run/secrets/provider_key"}
    assert {price.model for price in served.prices} == set(served.models)


def test_each_role_holds_the_key_alone_that_it_signs_records_with(compose: Document) -> None:
    held = {
        name: {secret for secret in one.get("secrets", []) if secret.endswith(".pem")}
        for name, one in compose["services"].items()
    }
    assert {name: keys for name, keys in held.items() if keys} == {
        "migrate": {f"{role}.pem" for role in KeyRole},
        "scheduler": {"log.pem"},
        "agent": {"recorder.pem"},
        "grade": {"grader.pem"},
    }
    for name, keys in held.items():
        environment = compose["services"][name].get("environment") or {}
        assert environment.get("GRADEFARM_KEYS") == ("/run/secrets" if keys else None)


def test_ports_are_published_on_loopback_alone(compose: Document) -> None:
    published = {n: one["ports"] for n, one in compose["services"].items() if "ports" in one}
    assert set(published) == {"api", "flower", "prometheus", "grafana"}
    assert all(port.startswith("127.0.0.1:") for ports in published.values() for port in ports)


def test_every_part_is_bounded_restarted_pinned_and_stopped_in_time(compose: Document) -> None:
    for name, one in compose["services"].items():
        limits = one["deploy"]["resources"]["limits"]
        assert {"cpus", "memory"} <= set(limits), name
        tag = one["image"].rpartition(":")[2]
        assert re.match(r"^v?\d+\.\d+", tag), one["image"]
        assert one["restart"] == ("on-failure:3" if name == "migrate" else "unless-stopped")
        assert name == "migrate" or "stop_grace_period" in one, name
        assert "no-new-privileges:true" in one.get("security_opt", []) or name == "database", name
        if name in OWN:
            assert one["read_only"]
            assert one["cap_drop"] == ["ALL"]
            assert one["user"] == last(one["build"]["target"], "USER")
            assert one["build"]["target"] in stages()
    assert compose["services"]["scheduler"]["deploy"]["replicas"] == 2


def test_a_worker_has_longer_than_its_own_shutdown_takes(compose: Document) -> None:
    for name in HANDS:
        one = compose["services"][name]
        minutes = int(one["stop_grace_period"].removesuffix("m"))
        assert minutes * 60 > int(one["environment"]["GRADEFARM_SHUTDOWN_S"])


def test_every_service_that_lives_is_asked_how_it_is(compose: Document) -> None:
    for name, one in compose["services"].items():
        if name in OWN - {"migrate"}:
            assert "CMD" in last(one["build"]["target"], "HEALTHCHECK")
        else:
            assert name == "migrate" or "healthcheck" in one, name


def test_what_is_kept_lies_on_volumes_that_the_images_give_to_the_farms_user(
    compose: Document,
) -> None:
    made = " ".join(value for kind, value in stages()["ground"] if kind == "RUN")
    for name in OWN - {"migrate"}:
        for entry in compose["services"][name].get("volumes", []):
            place = entry.split(":")[-1]
            assert place in made, f"{place} would belong to root"
        home = image_environment(compose["services"][name]["build"]["target"])["GRADEFARM_HOME"]
        assert home in compose["services"][name]["volumes"]


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compose") / "secrets"
    done = run_tool("sh", COMPOSE / "make_secrets.sh", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_secrets_are_drawn_once_and_only_their_folder_is_shut(
    compose: Document, secrets: Path
) -> None:
    assert {path.name for path in secrets.iterdir()} == set(compose["secrets"])
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    drawn = {path.name: path.read_text() for path in secrets.iterdir()}
    keys = [KeyFolder(secrets).get(role) for role in KeyRole]
    assert len({key.public for key in keys}) == 4
    assert len(set(drawn.values())) == len(drawn)
    again = run_tool("sh", COMPOSE / "make_secrets.sh", secrets)
    assert again.returncode == 4
    assert drawn == {path.name: path.read_text() for path in secrets.iterdir()}
    password = drawn["broker_password"].strip()
    assert hashlib.sha256(password.encode()).hexdigest() in drawn["broker_acl"]
    assert password not in drawn["broker_acl"]
    assert f":{password}@broker:" in drawn["broker_url"]
    (keys,) = re.findall(r" ~(\S+)", drawn["broker_acl"])
    assert fnmatch(f"{KEY_PREFIX}agent.python", keys), "the farm may not touch its own queues"


@pytest.mark.real
def test_the_databases_first_start_makes_logins_with_the_drawn_passwords(
    secrets: Path, postgresql_url: str
) -> None:
    """make_roles.sh, run against a real server as its image would run it."""
    place = make_url(postgresql_url)
    name = "compose_roles"
    admin = create_engine(place.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {name}"))
        connection.execute(text(f"CREATE DATABASE {name}"))
    environment = {
        "PATH": str(Path(tool("psql")).parent) + ":/usr/bin:/bin",
        "SECRETS": str(secrets),
        "POSTGRES_USER": place.username or "postgres",
        "POSTGRES_DB": name,
        "PGHOST": str(place.host or place.query.get("host")),
        "PGPORT": str(place.port or place.query.get("port") or 5432),
        "PGPASSWORD": place.password or "",
    }
    try:
        done = subprocess.run(
            ["sh", str(COMPOSE / "make_roles.sh")],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        with admin.connect() as connection:
            roles = connection.execute(
                text("SELECT rolname, rolpassword FROM pg_authid WHERE rolname LIKE 'farm\\_%'")
            )
            found = {row[0]: row[1] for row in roles}
        assert {"farm_agent", "farm_grade"} <= set(found)
        assert found["farm_agent"] != found["farm_grade"]
        agent = place.set(
            drivername="postgresql+psycopg",
            database=name,
            username="farm_agent",
            password=(secrets / "agent_database_password").read_text().strip(),
        )
        engine = create_engine(agent)
        try:
            with engine.connect() as connection:
                assert connection.execute(text("SELECT current_user")).scalar() == "farm_agent"
        except OperationalError as error:  # pragma: no cover
            raise AssertionError("the agent's login does not work") from error
        finally:
            engine.dispose()
    finally:
        with admin.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name}"))
            connection.execute(text("DROP ROLE IF EXISTS farm_agent"))
            connection.execute(text("DROP ROLE IF EXISTS farm_grade"))
        admin.dispose()
