"""The native suite of a sample on this machine, for as many solutions as a test has."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from models.errors import FarmError
from models.schemas.suite import NativeSuite
from models.schemas.task import TaskLimits
from models.settings import search_path
from models.verdicts import CheckOutcome
from tasks_catalog.loading import load_languages, load_runner, runner_folder
from tests.conftest import miss
from tests.contract.suite_samples import SAMPLES, Sample
from workers.checks.build import GradingBench
from workers.checks.suite_files import SealedSuite
from workers.checks.suite_transport import SuiteFindings, SuiteTerms, ask_suite
from workers.languages.folder_cache import write_files
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import prepare_language
from workers.sandbox.request import never_cancelled
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import select_sandbox

FOLDER = Path(__file__).resolve().parents[2] / "tasks_catalog" / "languages"
LIMITS = TaskLimits(agent_wall_s=1, build_wall_s=120, check_wall_s=4, memory_mb=512)
RUNS = "suite-runs"


@dataclass
class SuiteBench:
    """A language that is proved on this machine, and its sample."""

    root: Path
    sandbox: Sandbox
    runtime: LanguageRuntime
    sample: Sample
    kept: list[bytes] = field(default_factory=list[bytes])

    def ask(self, files: dict[str, str], *, trusted: bool = False) -> SuiteFindings:
        """What the sample's suite says of these files."""
        language = self.runtime.definition.id
        folder = Path(tempfile.mkdtemp(prefix=f"{language}-", dir=self.root))
        folder.chmod(0o755)
        write_files(folder / "sources", files)
        write_files(folder / "suite", self.sample.suite)
        suite = NativeSuite(
            schema=1,
            entries=(self.sample.entry,),
            parameters=self.sample.parameters,
            runs=RUNS,
            tests=self.sample.tests,
        )
        runner = load_runner(FOLDER, language)
        sealed = SealedSuite(suite, folder / "suite", runner, runner_folder(FOLDER, language))
        builds = self.root / "builds"
        bench = GradingBench(self.sandbox, self.runtime, self._keep, builds, never_cancelled)
        digests = dict.fromkeys((RUNS, *self.sample.tests.values()), "sha256:0")
        terms = SuiteTerms(LIMITS, None, digests, keeps_output=trusted)
        return ask_suite(bench, sealed, folder / "sources", terms)

    def outcomes(self, files: dict[str, str]) -> dict[str, CheckOutcome]:
        return {check: result.outcome for check, result in self.ask(files).checks.items()}

    def _keep(self, data: bytes) -> str:
        self.kept.append(data)
        return "sha256:0"


class SuiteBenches:
    """One bench for each language, made when it is first asked for."""

    def __init__(self, root: Path, sandbox: Sandbox) -> None:
        self._root = root
        self._sandbox = sandbox
        self._made: dict[str, SuiteBench] = {}

    def of(self, language: str) -> SuiteBench:
        if language not in self._made:
            self._made[language] = self._make(language)
        return self._made[language]

    def _make(self, language: str) -> SuiteBench:
        """The language's own cache is warmed with its probe alone, for the sake of speed."""
        definition = load_languages(FOLDER)[language]
        if definition.build is not None and definition.build.warm_files:
            build = definition.build.model_copy(update={"warm_files": definition.probe_files})
            definition = definition.model_copy(update={"build": build})
        try:
            scratch = self._root / "scratch"
            runtime = prepare_language(definition, self._sandbox, scratch, search_path())
        except FarmError as error:
            miss(f"{definition.title} ({error})")
        return SuiteBench(self._root, self._sandbox, runtime, SAMPLES[language])


@contextmanager
def suite_benches() -> Generator[SuiteBenches]:
    """Everything below one folder that slot users reach, and that is removed afterwards."""
    root = Path(tempfile.mkdtemp(prefix="gradefarm-suites-", dir="/var/tmp"))
    root.chmod(0o755)
    kept, tempfile.tempdir = tempfile.tempdir, str(root / "tmp")
    (root / "tmp").mkdir(mode=0o755)
    try:
        sandbox = select_sandbox(root / "scratch")
    except FarmError as error:
        miss(f"a sandbox ({error})")
    yield SuiteBenches(root, sandbox)
    sandbox.close()
    tempfile.tempdir = kept
    shutil.rmtree(root, ignore_errors=True)
