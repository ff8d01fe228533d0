"""A record is verified on a machine that has the verifier and nothing else of the farm."""

import json
import os
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from models.records.record_files import pack_record
from models.schemas.run import Stage
from models.storage.key_folder import KeyFolder
from scheduler.farm_keys import FarmKeys
from scheduler.farm_log import FarmLog
from scheduler.keeping.record_export import export_record
from tests.fakes.record_forge import Farm
from tests.integration.job_bench import Bench
from tests.property.record_attacks import ATTACKS

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
BUILT_WITH = "hatchling==1.27.0\ntrove-classifiers==2025.5.9.12\n"
TRY_ALL = """
import json, pathlib, sys
from models.records.record_files import unpack_record
from models.records.refusal import RecordRefused
from models.records.verification import Gradings, verify_record
from models.schemas.trust import TrustPolicy

found = {}
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    trust = TrustPolicy.model_validate_json((folder / "trust.json").read_text())
    try:
        files = [unpack_record(tar.read_bytes()) for tar in sorted(folder.glob("*.tar"))]
        before = Gradings()
        for one in files:
            before.take(verify_record(one, trust))
        found[folder.name] = "holds"
    except RecordRefused as refused:
        found[folder.name] = refused.reason.value
print(json.dumps(found))
"""


def ran(
    *words: str | Path, cwd: Path, constraints: Path | None = None
) -> subprocess.CompletedProcess[str]:
    # Neither this farm's settings nor its sources are to be found.
    known = {name: value for name, value in os.environ.items() if "GRADEFARM" not in name}
    environment = {name: value for name, value in known.items() if not name.startswith("PYTHON")}
    if constraints is not None:
        # As a variable it holds for what pip fetches to build with, too.
        environment["PIP_CONSTRAINT"] = str(constraints)
    return subprocess.run(
        [str(word) for word in words],
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
        cwd=cwd,
        env=environment,
    )


def versions_here() -> str:
    """What these tests run with, as constraints: no new release of anything can break them."""
    found = {one.name: one.version for one in distributions() if one.name != "gradefarm"}
    return "".join(f"{name}=={version}\n" for name, version in sorted(found.items()))


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with a wheel of this tree and its base dependencies."""
    root = tmp_path_factory.mktemp("elsewhere")
    venv = (sys.executable, "-m", "venv", "--without-pip", root / "venv")
    assert ran(*venv, cwd=root).returncode == 0
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    there = ("--python", root / "venv" / "bin" / "python")
    constraints = root / "constraints.txt"
    constraints.write_text(versions_here() + BUILT_WITH)
    wheels = ("wheel", "--no-deps", "-q", "-w", root / "wheels")
    built = ran(*pip, *wheels, ROOT, cwd=root, constraints=constraints)
    assert built.returncode == 0, built.stderr
    wheel = next((root / "wheels").glob("gradefarm-*.whl"))
    install = ("install", "-q", "--only-binary", ":all:", f"{wheel}[verify]")
    done = ran(*pip, *there, *install, cwd=root, constraints=constraints)
    assert done.returncode == 0, done.stderr
    return root


def test_a_record_holds_elsewhere_and_every_attack_is_refused_there(
    bench: Bench, machine: Path
) -> None:
    keys = KeyFolder(bench.hands.plan.settings.keys)
    log = FarmLog(bench.database, keys)
    log.begin()
    run = bench.start("scripted", {"actions": ["echo seen; seq 3000"]})
    bench.work(run, Stage.AGENT, Stage.GRADE)
    log.order()
    files = export_record(bench.database, bench.hands.get().artifacts, run)
    (machine / "run.tar").write_bytes(pack_record(files))
    trust = FarmKeys(bench.database, keys).policy().model_dump_json()
    (machine / "trust.json").write_text(trust)
    gradefarm = machine / "venv" / "bin" / "gradefarm"
    verify = (gradefarm, "record", "verify", "run.tar", "--trust", "trust.json")
    told = ran(*verify, "--json", cwd=machine)
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)[0]["verdict"] == "failed"
    assert "holds" in ran(*verify, cwd=machine).stdout
    shown = ran(gradefarm, "record", "show", "run.tar", cwd=machine)
    assert "echo seen; seq 3000" in shown.stdout
    assert "FAILED" in shown.stdout

    altered = (machine / "run.tar").read_bytes().replace(b'"exit":0', b'"exit":1', 1)
    (machine / "altered.tar").write_bytes(altered)
    forged = (gradefarm, "record", "verify", "altered.tar", "--trust", "trust.json", "--json")
    refused = ran(*forged, cwd=machine)
    assert refused.returncode == 4
    assert json.loads(refused.stderr)["error"]["reason"] == "events_digest"

    for words in (("board",), ("record", "export", "1"), ("record", "show", "1")):
        lacking = ran(gradefarm, *words, cwd=machine)
        assert (lacking.returncode, lacking.stdout) == (5, ""), words
        assert "only verifies" in lacking.stderr
        assert "gradefarm[farm]" in lacking.stderr

    for attack in ATTACKS:
        folder = machine / "attacks" / attack.__name__
        folder.mkdir(parents=True)
        handed, policy = attack(Farm())
        (folder / "trust.json").write_text(policy.model_dump_json())
        for number, one in enumerate(handed):
            (folder / f"{number}.tar").write_bytes(pack_record(one))
    python = machine / "venv" / "bin" / "python"
    tried = ran(python, "-I", "-c", TRY_ALL, machine / "attacks", cwd=machine)
    assert tried.returncode == 0, tried.stderr
    assert json.loads(tried.stdout) == {
        attack.__name__: reason.value for attack, reason in ATTACKS.items()
    }
