"""One language on this machine, its control program built, for as many questions as a test has."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from models.errors import FarmError
from models.schemas.check import Check
from models.schemas.check_report import BuildResult
from models.schemas.language import CONTROL_FILE, LanguageDefinition
from models.schemas.task import TaskLimits
from models.settings import search_path
from models.verdicts import CheckOutcome, VoidCategory
from tests.conftest import miss
from workers.checks.build import GradingBench, build_once
from workers.checks.outcome import ProcessFacts, check_outcome
from workers.checks.process_transport import JudgedProgram, ask
from workers.languages.folder_cache import write_files
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import prepare_language
from workers.sandbox.outcome import SandboxOutcome
from workers.sandbox.request import never_cancelled
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import select_sandbox

PATIENT_S = 30.0
MEMORY_MB = 512


@dataclass
class LanguageBench:
    """A sandbox and a language that is proved in it."""

    root: Path
    sandbox: Sandbox
    runtime: LanguageRuntime

    @property
    def definition(self) -> LanguageDefinition:
        return self.runtime.definition

    @contextmanager
    def built(self, files: Mapping[str, str]) -> Generator[tuple[BuildResult, JudgedProgram]]:
        """What the build says of these sources, and the program where it says yes."""
        content = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
        sources = self.root / "sources" / content
        write_files(sources, dict(files))
        with build_once(self._grading(), sources, content, PATIENT_S) as (result, folder):
            limits = TaskLimits(agent_wall_s=1, check_wall_s=PATIENT_S, memory_mb=MEMORY_MB)
            yield result, JudgedProgram(self.runtime, sources, folder, limits)

    def tell(self, control: bytes, stdin: str = "", wall_s: float = PATIENT_S) -> SandboxOutcome:
        """Let the control program do what `control` says."""
        with self.built(self.definition.control_files) as (result, program):
            assert result.ok, result
            (program.sources / CONTROL_FILE).write_bytes(control)
            return self.ask(program, stdin, wall_s)

    def ask(self, program: JudgedProgram, stdin: str, wall_s: float = PATIENT_S) -> SandboxOutcome:
        check = Check.model_validate(
            {
                "id": "question",
                "title": "A question",
                "transport": "process",
                "input": {"stdin": stdin},
                "expect": {"stdout": ""},
                "compare": {"kind": "text"},
                "limits": {"wall_factor": wall_s / PATIENT_S},
            }
        )
        return ask(self.sandbox, program, check, never_cancelled)

    def _grading(self) -> GradingBench:
        builds = self.root / "builds"
        return GradingBench(self.sandbox, self.runtime, _digest, builds, never_cancelled)


def judged(outcome: SandboxOutcome) -> CheckOutcome | VoidCategory:
    """What grading makes of an outcome whose answer would be right."""
    return check_outcome(
        ProcessFacts(outcome.ending, outcome.exit_code, 0, None, outcome.infrastructure)
    )


def _digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


@contextmanager
def language_ground() -> Iterator[tuple[Path, Sandbox]]:
    """A folder that slot users reach, and a sandbox whose things are in it."""
    root = Path(tempfile.mkdtemp(prefix="gradefarm-languages-", dir="/var/tmp"))
    root.chmod(0o755)
    kept, tempfile.tempdir = tempfile.tempdir, str(root / "tmp")
    (root / "tmp").mkdir(mode=0o755)
    try:
        sandbox = select_sandbox(root / "scratch")
    except FarmError as error:
        miss(f"a sandbox ({error})")
    yield root, sandbox
    sandbox.close()
    tempfile.tempdir = kept
    shutil.rmtree(root, ignore_errors=True)


def language_bench(root: Path, sandbox: Sandbox, definition: LanguageDefinition) -> LanguageBench:
    """The language proved. Its cache is warmed with no more than the control program needs."""
    if definition.build is not None and definition.build.warm_files:
        build = definition.build.model_copy(update={"warm_files": definition.control_files})
        definition = definition.model_copy(update={"build": build})
    try:
        runtime = prepare_language(definition, sandbox, root / "scratch", search_path())
    except FarmError as error:
        miss(f"{definition.title} ({error})")
    return LanguageBench(root / definition.id, sandbox, runtime)
