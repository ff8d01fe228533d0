"""What no sandbox may show, wherever the farm is installed, and what a worker may build upon."""

import os
import shutil
import tempfile
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import Refused
from models.settings import read_settings
from tests.conftest import miss
from tests.contract.sandbox_subjects import NOBODY
from workers.farm_sandbox import open_sandbox
from workers.machine_probe import probe_machine
from workers.sandbox.canaries import quiet_request
from workers.sandbox.request import Mount
from workers.sandbox.selection import IsolationUnavailable, select_sandbox
from workers.sandbox.unisolated import UnisolatedSandbox

pytestmark = pytest.mark.real

KEY = "THE ANSWER KEY"
LOOK = "cat /usr/local/lib/gradefarm-test-*/*/*/sealed/hidden_checks.json /opt/tool/*/*/*/*/*.json"


@pytest.fixture
def scratch() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sandbox-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def below_usr() -> Generator[Path]:
    """A folder that every sandbox shows, as the site-packages of a system's Python are."""
    if os.geteuid() != 0:
        miss("root, to install something below /usr/local/lib")
    folder = Path(tempfile.mkdtemp(prefix="gradefarm-test-", dir="/usr/local/lib"))
    sealed = folder / "tasks_catalog" / "bundled" / "sealed"
    sealed.mkdir(parents=True)
    (sealed / "hidden_checks.json").write_text(KEY)
    (folder / "beside.txt").write_text("no secret")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def settings_for(scratch: Path, sealed: Path, **more: str) -> dict[str, str]:
    return {
        "GRADEFARM_HOME": str(scratch / "home"),
        "GRADEFARM_SCRATCH": str(scratch / "scratch"),
        "GRADEFARM_CATALOG_SEALED": str(sealed),
        **more,
    }


def test_an_answer_key_installed_below_usr_cannot_be_read(scratch: Path, below_usr: Path) -> None:
    environ = settings_for(scratch, below_usr / "tasks_catalog" / "bundled")
    sandbox = open_sandbox(read_settings(environ))
    try:
        tool = Mount(below_usr.parent, "/opt/tool", "ro")
        request = quiet_request(
            f"{LOOK} 2>/dev/null; cat /usr/local/lib/gradefarm-test-*/beside.txt"
        )
        outcome = sandbox.run(request)
        mounted = sandbox.run(replace(request, mounts=(tool,)))
        write = sandbox.run(quiet_request(f"echo x > {below_usr}/tasks_catalog/bundled/x"))
        proved = sandbox.probe()
    finally:
        sandbox.close()
    assert outcome.stdout == mounted.stdout == b"no secret"
    assert write.exit_code != 0
    assert proved.complete


def test_everything_that_the_farm_keeps_is_hidden(scratch: Path, below_usr: Path) -> None:
    places = {name: below_usr / name for name in ("home", "artifacts", "rows", "scratch")}
    for place in places.values():
        place.mkdir()
        (place / "farm.db").write_text(KEY)
        (place / "farm.db").chmod(0o644)
    environ = {
        "GRADEFARM_HOME": str(places["home"]),
        "GRADEFARM_SCRATCH": str(places["scratch"]),
        "GRADEFARM_ARTIFACTS_URL": f"file://{places['artifacts']}",
        "GRADEFARM_DATABASE_URL": f"sqlite:///{places['rows']}/farm.db",
    }
    sandbox = open_sandbox(read_settings(environ))
    try:
        outcome = sandbox.run(
            quiet_request(f"cat {below_usr}/*/farm.db 2>/dev/null; ls {below_usr}")
        )
    finally:
        sandbox.close()
    assert KEY.encode() not in outcome.stdout
    assert b"artifacts" in outcome.stdout


def test_the_probe_looks_for_the_real_answer_key(scratch: Path, below_usr: Path) -> None:
    """Without the covers it is found, and a worker that finds it does not start."""
    sealed = below_usr / "tasks_catalog" / "bundled"
    sandbox = UnisolatedSandbox(scratch / "open", (sealed,))
    try:
        missing = [ability.name for ability in sandbox.probe().missing()]
    finally:
        sandbox.close()
    assert "answer key invisible" in missing


def test_what_was_probed_is_what_is_used(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = settings_for(scratch, scratch / "sealed", GRADEFARM_ALLOW_UNISOLATED="true")
    settings = read_settings(allowed)
    monkeypatch.setattr("workers.sandbox.selection.available_binaries", list)
    with pytest.raises(IsolationUnavailable):
        open_sandbox(settings, "bubblewrap")
    fallen_back = open_sandbox(settings)
    assert fallen_back.name == open_sandbox(settings, "unisolated").name == "unisolated"


def test_judged_code_is_the_first_victim_when_the_host_runs_out_of_memory(scratch: Path) -> None:
    try:
        sandbox = select_sandbox(scratch / "scratch")
    except IsolationUnavailable as error:
        miss(f"a sandbox ({error})")
    script = "cat FILE; echo 0 > FILE; cat FILE".replace("FILE", "/proc/self/oom_score_adj")
    try:
        outcome = sandbox.run(quiet_request(script))
    finally:
        sandbox.close()
    assert outcome.stdout.split() == [b"1000", b"1000"]
    assert Path("/proc/self/oom_score_adj").read_text().strip() != "1000"


@pytest.mark.parametrize("prepared", ["others own it", "others may write", "others' link"])
def test_a_scratch_folder_that_others_control_is_refused(scratch: Path, prepared: str) -> None:
    if os.geteuid() != 0:
        miss("root, to give folders away")
    place = scratch / "predictable"
    if prepared == "others' link":
        (scratch / "theirs").mkdir()
        place.symlink_to(scratch / "theirs")
        os.chown(place, NOBODY, NOBODY, follow_symlinks=False)
    else:
        place.mkdir()
        place.chmod(0o777 if prepared == "others may write" else 0o755)
        os.chown(place, 0 if prepared == "others may write" else NOBODY, -1)
    with pytest.raises(Refused, match="GRADEFARM_SCRATCH"):
        select_sandbox(place)
    environ = settings_for(scratch, scratch, GRADEFARM_SCRATCH=str(place))
    with pytest.raises(Refused, match="GRADEFARM_SCRATCH"):
        probe_machine(read_settings(environ))
    assert list(place.iterdir()) == []
