"""One language on this machine, its control program built, for as many questions as a test has."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
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

PATIENT_S = 60.0
MEMORY_MB = 512
SECRET_WORD = "the-host-keeps-this-word"


@dataclass
class LanguageGround:
    """A folder that slot users reach, a sandbox, and a file that no sandbox shows."""

    root: Path
    sandbox: Sandbox

    @property
    def secret(self) -> Path:
        return self.root / "secret.json"

    def bench(self, definition: LanguageDefinition) -> "LanguageBench":
        """The language proved. Its cache is warmed with no more than the control program needs."""
        if definition.build is not None and definition.build.warm_files:
            build = definition.build.model_copy(update={"warm_files": definition.control_files})
            definition = definition.model_copy(update={"build": build})
        scratch = self.root / "scratch"
        try:
            runtime = prepare_language(definition, self.sandbox, scratch, search_path())
        except FarmError as error:
            miss(f"{definition.title} ({error})")
        return LanguageBench(self, runtime)


@dataclass
class LanguageBench:
    """A sandbox and a language that is proved in it."""

    ground: LanguageGround
    runtime: LanguageRuntime

    @property
    def definition(self) -> LanguageDefinition:
        return self.runtime.definition

    @property
    def grading(self) -> GradingBench:
        builds = self.ground.root / self.definition.id / "builds"
        return GradingBench(self.ground.sandbox, self.runtime, self._keep, builds, never_cancelled)

    @contextmanager
    def built(
        self, files: Mapping[str, str], beside: Path | None = None
    ) -> Generator[tuple[BuildResult, JudgedProgram]]:
        """What the build says of these sources, with the files of a folder beside them, and the
        program where it says yes."""
        content = hashlib.sha256(json.dumps([files, str(beside)]).encode()).hexdigest()
        sources = self.ground.root / self.definition.id / content
        write_files(sources, dict(files))
        if beside is not None:
            shutil.copytree(beside, sources, dirs_exist_ok=True)
        with build_once(self.grading, sources, content, PATIENT_S) as (result, folder):
            limits = TaskLimits(agent_wall_s=1, check_wall_s=PATIENT_S, memory_mb=MEMORY_MB)
            yield result, JudgedProgram(self.runtime, sources, folder, limits)

    def tell(self, control: bytes, stdin: str = "", wall_s: float = PATIENT_S) -> SandboxOutcome:
        """Let the control program do what `control` says."""
        with self.built(self.definition.control_files) as (result, program):
            assert result.ok, self.said(result)
            (program.sources / CONTROL_FILE).write_bytes(control)
            return self.ask(program, stdin, wall_s)

    def ask(
        self, program: JudgedProgram, stdin: str = "", wall_s: float = PATIENT_S
    ) -> SandboxOutcome:
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
        return ask(self.ground.sandbox, program, check, never_cancelled)

    def broken_files(self) -> dict[str, str]:
        """The control program with nothing sensible in any file of the language."""
        return {
            name: "((( no program\n" if self._is_source(name) else text
            for name, text in self.definition.control_files.items()
        }

    def said(self, result: BuildResult) -> str:
        """All that the compiler wrote."""
        found = result.evidence
        assert found is not None, result
        kept = [self._kept(digest) for digest in (found.stdout, found.stderr) if digest]
        long = "".join(path.read_text(encoding="utf-8") for path in kept)
        return found.stdout_text + found.stderr_text + long

    def _is_source(self, name: str) -> bool:
        return any(fnmatch(Path(name).name, pattern) for pattern in self.definition.files)

    def _kept(self, digest: str) -> Path:
        return self.ground.root / "kept" / digest.replace(":", "-")

    def _keep(self, data: bytes) -> str:
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        self._kept(digest).write_bytes(data)
        return digest


def judged(outcome: SandboxOutcome) -> CheckOutcome | VoidCategory:
    """What grading makes of an outcome whose answer would be right."""
    return check_outcome(
        ProcessFacts(outcome.ending, outcome.exit_code, 0, None, outcome.infrastructure)
    )


@contextmanager
def language_ground() -> Generator[LanguageGround]:
    """Everything below one folder, which is removed afterwards."""
    root = Path(tempfile.mkdtemp(prefix="gradefarm-languages-", dir="/var/tmp"))
    root.chmod(0o755)
    kept, tempfile.tempdir = tempfile.tempdir, str(root / "tmp")
    try:
        for name in ("tmp", "kept"):
            (root / name).mkdir(mode=0o755)
        ground = LanguageGround(root, _sandbox(root / "scratch"))
        ground.secret.write_text(json.dumps({"word": SECRET_WORD}))
        ground.secret.chmod(0o644)
        yield ground
        ground.sandbox.close()
    finally:
        tempfile.tempdir = kept
        shutil.rmtree(root, ignore_errors=True)


def _sandbox(scratch: Path) -> Sandbox:
    try:
        return select_sandbox(scratch)
    except FarmError as error:
        miss(f"a sandbox ({error})")
