"""What integration tests share: a machine that was probed once, and a bench for each test."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import FarmError
from models.migrations.upgrade import upgrade_database
from models.settings import read_settings
from models.storage.transaction import open_database
from tests.conftest import miss
from tests.integration.job_bench import LANGUAGES, Bench
from tests.integration.summing_catalog import write_catalog
from workers.hands import HandsOnDemand, WorkerPlan
from workers.machine_probe import probe_machine
from workers.temporary_files import keep_temporary_files


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, WorkerPlan]]:
    # Before temporary files move into a folder that goes with this module.
    tmp_path_factory.getbasetemp()
    root = Path(tempfile.mkdtemp(prefix="gradefarm-jobs-", dir="/var/tmp"))
    root.chmod(0o755)
    kept = tempfile.tempdir
    write_catalog(root / "catalog", LANGUAGES)
    settings = read_settings(
        {
            "GRADEFARM_HOME": str(root / "home"),
            "GRADEFARM_SCRATCH": str(root / "scratch"),
            "GRADEFARM_CATALOG_PUBLIC": str(root / "catalog" / "tasks"),
            "GRADEFARM_CATALOG_SEALED": str(root / "catalog" / "tasks"),
            "GRADEFARM_LANGUAGES": str(root / "catalog" / "languages"),
            "GRADEFARM_LEASE_S": "3",
            "GRADEFARM_BEAT_S": "0.2",
        }
    )
    try:
        machine = probe_machine(settings)
    except FarmError as error:
        miss(str(error))
    label = machine.isolation_label
    yield root, WorkerPlan(settings, "tester@here", machine.languages, label, holds_sealed=True)
    tempfile.tempdir = kept
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def bench(ground: tuple[Path, WorkerPlan], tmp_path: Path) -> Iterator[Bench]:
    root, plan = ground
    settings = plan.settings.model_copy(
        update={
            "database_url": f"sqlite:///{tmp_path / 'farm.db'}",
            "artifacts_url": f"file://{tmp_path / 'artifacts'}",
            "home": tmp_path,
        }
    )
    keep_temporary_files(settings.scratch)
    upgrade_database(settings.database_url)
    database = open_database(settings.database_url)
    hands = HandsOnDemand(replace(plan, settings=settings))
    yield Bench(root, database, hands)
    hands.close()
    database.close()
