"""The units: systemd's own judgement, and what keeps answers from an agent's user."""

import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from tests.deploy.deploy_files import DEPLOY, GRADEFARM, run_tool, tool

UNITS = DEPLOY / "systemd"
STEPS = (DEPLOY / "README.md").read_text().partition("\n## systemd\n")[2].partition("\n## ")[0]
SERVICES = (
    *("gradefarm-scheduler", "gradefarm-api", "gradefarm-flower", "gradefarm-worker@"),
    "gradefarm-gateway",
)
MOST_EXPOSED = {"gradefarm-worker@": 4.5}
"""systemd's own figure from 0 (shut) to 10; a worker has to leave name spaces to bubblewrap."""
EXPOSED = 1.5
NEW = re.compile(r"^(DelegateSubgroup)=.*\n", re.MULTILINE)
"""Known since systemd 254; older ones warn and go on, and memory is then measured instead."""


def settings_of(unit: str) -> dict[str, list[str]]:
    """Every setting of a unit with its values in order."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / f"{unit}.service").read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def version() -> int:
    return int(run_tool(tool("systemd-analyze"), "--version").stdout.split()[1])


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The units as they would be installed, with a gradefarm that is there."""
    folder = tmp_path_factory.mktemp("units")
    for path in (*UNITS.glob("*.service"), *UNITS.glob("*.target")):
        text = path.read_text().replace("/opt/gradefarm/bin/gradefarm", "/bin/true")
        text = NEW.sub("", text) if version() < 254 else text
        name = path.name.replace("worker@.", "worker@agent.")
        (folder / name).write_text(text)
    shutil.copy(
        folder / "gradefarm-worker@agent.service", folder / "gradefarm-worker@grade.service"
    )
    return folder


def test_systemd_finds_no_fault_in_any_unit(units: Path) -> None:
    analyze = tool("systemd-analyze")
    files = [f"./{path.name}" for path in units.iterdir()]
    done = run_tool(analyze, "verify", "--man=no", "--recursive-errors=no", *files, cwd=units)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("unit", SERVICES)
def test_no_unit_is_more_exposed_than_it_has_to_be(units: Path, unit: str) -> None:
    name = unit.replace("worker@", "worker@agent")
    done = run_tool(
        tool("systemd-analyze"),
        *("security", "--offline=true", "--no-pager", f"./{name}.service"),
        cwd=units,
    )
    figure = re.search(r"Overall exposure level for \S+ ([0-9.]+)", done.stdout)
    assert figure, done.stdout + done.stderr
    assert float(figure[1]) <= MOST_EXPOSED.get(unit, EXPOSED)


def test_a_worker_keeps_what_a_sandbox_needs() -> None:
    worker = settings_of("gradefarm-worker@")
    for shut in (
        *("RestrictNamespaces", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc"),
        *("ProcSubset", "ProtectControlGroups", "ProtectHostname", "PrivateUsers"),
        *("MemoryDenyWriteExecute",),
    ):
        assert shut not in worker
    assert "AF_NETLINK" in worker["RestrictAddressFamilies"][0]
    assert worker["Delegate"] == ["memory pids"]
    assert not {"@mount", "@privileged"} & set(" ".join(worker["SystemCallFilter"]).split())


@pytest.mark.parametrize("unit", SERVICES)
def test_every_service_ends_in_order_and_comes_back(unit: str) -> None:
    one = settings_of(unit)
    assert one["KillMode"] == ["mixed"]
    assert one["Restart"] == ["always"]
    assert one["StartLimitIntervalSec"] == ["0"]
    assert one["PartOf"] == one["WantedBy"] == ["gradefarm.target"]
    assert one["NoNewPrivileges"] == ["yes"]
    assert one["CapabilityBoundingSet"] == [""]
    grace = int(one["TimeoutStopSec"][0])
    assert grace > (3600 if "worker" in unit else 29)
    assert one["User"][0] in (UNITS / "gradefarm.sysusers.conf").read_text().replace(
        "gradefarm-agent", "gradefarm-%i"
    )


def test_passwords_come_as_credentials() -> None:
    for unit in SERVICES:
        one = settings_of(unit)
        loaded = {value.split(":")[0] for value in one["LoadCredential"]}
        named = {value.split("=%d/")[1] for value in one["Environment"] if "_FILE=%d/" in value}
        if unit == "gradefarm-gateway":
            # They lie side by side: the file names its key by its name alone.
            assert {"gateway.toml", "provider_key"} <= loaded
            assert "GRADEFARM_GATEWAY_CONFIG=%d/gateway.toml" in one["Environment"]
            loaded -= {"gateway.toml", "provider_key"}
        if unit == "gradefarm-scheduler":
            assert "GRADEFARM_KEYS=%d" in one["Environment"]
            loaded -= {"log.pem"}
        assert loaded == named
    for path in UNITS.glob("*.env"):
        assert not re.search(
            r"://[^/\s]*:[^/\s]*@|PASSWORD|DATABASE_URL=|BROKER_URL=", path.read_text()
        )


def test_each_unit_holds_the_key_alone_that_it_signs_records_with() -> None:
    texts = {path.stem: path.read_text() for path in UNITS.glob("*.service")}
    for role in ("agent", "grade"):
        dropped_in = UNITS / f"gradefarm-worker@{role}.service.d" / "keys.conf"
        texts[role] = dropped_in.read_text()
    held = {
        name: re.findall(r"^LoadCredential=(\w+[.]pem):/etc/gradefarm/\1$", text, re.MULTILINE)
        for name, text in texts.items()
    }
    assert {name: keys for name, keys in held.items() if keys} == {
        "gradefarm-scheduler": ["log.pem"],
        "agent": ["recorder.pem"],
        "grade": ["grader.pem"],
    }
    for name in ("agent", "grade"):
        assert "\nEnvironment=GRADEFARM_KEYS=%d\n" in texts[name]


def test_only_the_gateways_unit_holds_the_providers_keys() -> None:
    holders = [unit for unit in SERVICES if "provider_key" in str(settings_of(unit))]
    assert holders == ["gradefarm-gateway"]
    gateway = settings_of("gradefarm-gateway")
    assert not [one for one in gateway["LoadCredential"] if "database" in one or "broker" in one]
    dropped_in = (UNITS / "gradefarm-worker@agent.service.d" / "gateway.conf").read_text()
    assert re.search(r"^LoadCredential=gateway_token:", dropped_in, re.MULTILINE)
    assert "provider" not in dropped_in


def test_every_credential_is_made_before_a_unit_begins_and_the_target_is_enabled() -> None:
    order = [
        *("CREATE ROLE farm_agent", "CREATE ROLE farm_grade", "pip install", "systemd-sysusers"),
        *("install -m 600", "--half public", "--half sealed", "chgrp -R gradefarm-sealed"),
        *("chmod -R u=rwX,g=rX", "tasks_catalog/bundled", "db upgrade", "db grant"),
        *("tokens create", "daemon-reload", "systemctl enable"),
    ]
    assert sorted(order, key=STEPS.index) == order
    # What pip compiles, units could not take away.
    assert all("--no-compile" in line for line in STEPS.splitlines() if "pip install" in line)
    begun = re.findall(r"^systemctl enable --now (.+)$", STEPS, re.MULTILINE)
    assert begun
    assert all("gradefarm.target" in line.split() for line in begun)
    for unit in SERVICES:
        for _, path in (value.split(":") for value in settings_of(unit)["LoadCredential"]):
            for role in ("agent", "grade"):
                assert f"`{Path(path.replace('%i', role)).name}`" in STEPS
        if unit != "gradefarm-flower":
            assert "AWS_SHARED_CREDENTIALS_FILE=%d/aws_credentials" in " ".join(
                settings_of(unit)["Environment"]
            )


def test_the_steps_open_the_sealed_half_to_its_group_and_to_nobody_else(tmp_path: Path) -> None:
    lines = [line for line in STEPS.splitlines() if "/srv/gradefarm/sealed" in line]
    assert [line.split()[0].rpartition("/")[2] for line in lines] == ["gradefarm", "chgrp", "chmod"]
    for line in lines:
        words = line.replace("/srv/gradefarm/sealed", str(tmp_path / "sealed")).split()
        words = [word.replace("gradefarm-sealed", str(os.getgid())) for word in words]
        words[0] = str(GRADEFARM) if words[0].endswith("/gradefarm") else words[0]
        done = run_tool(*words)
        assert done.returncode == 0, done.stderr
    for path in (tmp_path / "sealed", *(tmp_path / "sealed").rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 in ({0o050} if path.is_dir() else {0o040, 0o050}), path


def test_only_graders_scheduler_and_api_are_in_the_group_of_the_sealed_half() -> None:
    users = (UNITS / "gradefarm.sysusers.conf").read_text()
    members = re.findall(r"^m (\S+)\s+gradefarm-sealed$", users, re.MULTILINE)
    assert sorted(members) == ["gradefarm", "gradefarm-grade"]
    folders = (UNITS / "gradefarm.tmpfiles.conf").read_text()
    assert re.search(r"^d /srv/gradefarm/sealed 0750 root gradefarm-sealed", folders, re.MULTILINE)
    agent = (UNITS / "worker-agent.env").read_text()
    assert "GRADEFARM_CATALOG_SEALED=\n" in agent
    assert "GRADEFARM_ARTIFACTS_URL" not in agent
    assert (
        "gradefarm-sealed"
        not in (UNITS / "gradefarm-worker@.service").read_text().split("[Unit]")[1]
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="makes users in a root of its own")
def test_systemd_itself_makes_the_users_and_folders(tmp_path: Path) -> None:
    for name in ("etc", "usr", "var", "run"):
        (tmp_path / name).mkdir()
    done = run_tool(
        tool("systemd-sysusers"), f"--root={tmp_path}", UNITS / "gradefarm.sysusers.conf"
    )
    assert done.returncode == 0, done.stderr
    groups = (tmp_path / "etc" / "group").read_text()
    members = re.search(r"^gradefarm-sealed:[^:]*:\d+:(.*)$", groups, re.MULTILINE)
    assert members
    assert set(members[1].split(",")) == {"gradefarm", "gradefarm-grade"}
    done = run_tool(
        tool("systemd-tmpfiles"),
        *("--create", f"--root={tmp_path}", UNITS / "gradefarm.tmpfiles.conf"),
    )
    assert done.returncode == 0, done.stderr
    sealed = (tmp_path / "srv/gradefarm/sealed").stat()
    number = re.search(r"^gradefarm-sealed:[^:]*:(\d+):", groups, re.MULTILINE)
    assert number
    assert sealed.st_gid == int(number[1])
    assert sealed.st_mode & 0o777 == 0o750
