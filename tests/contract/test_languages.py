"""What every language keeps to, whichever it is: the bundled ones, and the one that the
documentation adds."""

import re
import socket
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.schemas.language import CONTROL_MODES, LanguageDefinition
from models.verdicts import CheckOutcome
from tasks_catalog.loading import load_languages
from tests.contract.documented_language import DOCUMENTED, lay_out_languages
from tests.contract.language_bench import (
    SECRET_WORD,
    LanguageBench,
    LanguageGround,
    judged,
    language_ground,
)
from workers.languages.compilation import compile_sources
from workers.sandbox.outcome import Ending
from workers.sandbox.request import Limits, SandboxRequest

pytestmark = pytest.mark.real

ATTEMPTS = {
    path.stem: path.read_text()
    for path in Path(__file__).with_name("language_programs").glob("*.toml")
}
WITH_FOREIGN_CODE = sorted(name for name, text in ATTEMPTS.items() if "[prepared]" in text)
"""Compilers that may run code of their users, if it is compiled already."""

CORPUS = {
    "nothing": "",
    "no last line feed": "one\ntwo",
    "line feeds only": "\n\n\n",
    "all kinds of line ends": "a\rb\r\nc\u2028d\x85e\x0bf\x0c",
    "unicode": "\u00e9 e\u0301 \u00df \u6f22\u5b57 \u202e \u200d \ufeff",
    "astral": "\U0001f980\U0001d11e\U0010ffff",
    "control characters": "\x00\x01\x1a\x7f\x9f",
    "large integers": "9223372036854775808 -9223372036854775809 18446744073709551616",
    "odd numbers": "-0.0 -0 1e400 1e-400 NaN 0.1 9007199254740993",
    "deep nesting": "[" * 50_000 + "]" * 50_000,
    "a megabyte in one line": "\u20ac" * 350_000,
}
TABLE = b"table\n6 3\nab 1\n\nc\xc3\xa90 5\nempty6 0\nother\n7 1\nab 1\n\n\n!"
ODD_BYTES = b"\x00\xff\r\n\xf0\x9f\xa6\x80 {work} \\n\n\n"

SNOOP = """
for place in "$WORK/planted" /usr/planted /etc/planted /planted "$PREFIX/planted"; do
    (: > "$place") 2>/dev/null && echo "wrote $place"
done
for file in "$SECRET" /etc/shadow /root/.profile; do
    cat "$file" 2>/dev/null && echo "read $file"
done
(exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>/dev/null && echo "called the host"
grep -v -e lo: -e '|' /proc/net/dev
echo fine > "$BUILD/program" && echo fine > /tmp/fine || echo "can't write"
"""
"""A compiler that looks around: every line that it prints is a hole."""


@pytest.fixture(scope="module")
def ground() -> Iterator[LanguageGround]:
    with language_ground() as made:
        yield made


def definitions() -> dict[str, LanguageDefinition]:
    with tempfile.TemporaryDirectory() as name:
        return load_languages(lay_out_languages(Path(name)))


LANGUAGES = definitions()
COMPILED = [name for name, one in LANGUAGES.items() if one.build is not None]


@pytest.fixture(scope="module", params=sorted(LANGUAGES))
def bench(request: pytest.FixtureRequest, ground: LanguageGround) -> LanguageBench:
    return ground.bench(LANGUAGES[request.param])


def test_the_suite_is_about_all_languages() -> None:
    bundled = {"cpp", "go", "java", "javascript", "python", "python-typed", "rust", "typescript"}
    assert set(LANGUAGES) == bundled | {DOCUMENTED}
    assert set(ATTEMPTS) == set(COMPILED)


def test_every_placeholder_is_filled_and_every_version_known(bench: LanguageBench) -> None:
    definition = bench.definition
    steps = [definition.run, definition.test]
    for step in [*steps, definition.build] if definition.build else steps:
        command = bench.runtime.fill(step)
        for text in (*command.argv, *command.env.values()):
            assert not re.search(r"\{[a-z_]+\}", text), text
    identity = bench.runtime.identity
    for name in definition.toolchain.companions:
        assert re.search(rf"\b{name} \d+\.\d+", identity), identity
    assert re.match(rf"{definition.id} \d+\.\d+", identity), identity


def test_bytes_go_through_a_program_as_they_are(bench: LanguageBench) -> None:
    for name, text in CORPUS.items():
        echoed = bench.tell(b"echo\n", text)
        assert echoed.exit_code == 0, (name, echoed)
        assert echoed.stdout == text.encode(), name


def test_a_control_program_keeps_to_its_modes(bench: LanguageBench) -> None:
    assert (bench.tell(b"exit\nnothing").stdout, bench.tell(b"exit\n").exit_code) == (b"", 0)
    said = bench.tell(b"say\n" + ODD_BYTES)
    assert (said.stdout, said.exit_code) == (ODD_BYTES, 0)
    assert bench.tell(b"say\n").stdout == b""
    answers = {"ab 1\n\n": "c\u00e9", "": "empty", "other\n": "", "ab 1\n\n\n": "!", "ab 1\n": ""}
    for asked, answer in answers.items():
        told = bench.tell(TABLE, asked)
        assert (told.stdout.decode(), told.exit_code) == (answer, 0), repr(asked)


def test_programs_that_fail_are_told_apart(bench: LanguageBench) -> None:
    assert judged(bench.tell(b"crash\n")) is CheckOutcome.CRASH
    assert judged(bench.tell(b"flood\n")) is CheckOutcome.OUTPUT_LIMIT
    # A machine with a heap of its own refuses before the kernel does.
    assert judged(bench.tell(b"hoard\n")) in {CheckOutcome.MEMORY, CheckOutcome.CRASH}
    slept = bench.tell(b"sleep\n", wall_s=1.0)
    assert judged(slept) is CheckOutcome.TIMEOUT
    assert slept.cpu_s < 0.9
    tried = {"exit", "say", "echo", "table", "crash", "flood", "hoard", "sleep"}
    assert tried == set(CONTROL_MODES)


def test_sources_that_are_no_program_fail_where_the_language_looks_at_them(
    bench: LanguageBench,
) -> None:
    with bench.built(bench.broken_files()) as (result, program):
        if bench.definition.build is None:
            assert result.ok
            assert judged(bench.ask(program)) is CheckOutcome.CRASH
            return
        assert (result.ok, result.outcome) == (False, CheckOutcome.BUILD_FAILED)
        assert program.built is None
        assert bench.said(result).strip()


def test_the_tools_are_there_for_the_developer_test_command(bench: LanguageBench) -> None:
    chain = bench.definition.toolchain
    tools = [tool.candidates[-1] for tool in (chain, *chain.companions.values())]
    names = sorted(Path(name).name for name in tools)
    looked = bench.ground.sandbox.run(
        SandboxRequest(
            argv=(
                "sh",
                "-c",
                'for name; do command -v "$name" || echo "no $name"; done',
                "sh",
                *names,
            ),
            stdin=b"",
            env=bench.runtime.fill(bench.definition.test).env,
            mounts=bench.runtime.mounts,
            workdir="/tmp",
            limits=Limits(20, 20, 256 << 20, 32, 1 << 20, 1 << 20, 100),
        )
    )
    found = [Path(line).name for line in looked.stdout.decode().splitlines()]
    assert found == names


@pytest.mark.parametrize("bench", COMPILED, indirect=True)
def test_whatever_a_compiler_starts_is_shut_in(bench: LanguageBench) -> None:
    assert bench.definition.build is not None
    nothing = bench.ground.root / "nothing"
    nothing.mkdir(mode=0o755, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as host:
        places = {
            "WORK": "{work}",
            "BUILD": "{build}",
            "PREFIX": "{prefix}",
            "SECRET": str(bench.ground.secret),
            "PORT": str(host.getsockname()[1]),
        }
        update = {"argv": ("bash", "-c", SNOOP), "env": bench.definition.build.env | places}
        step = bench.definition.build.model_copy(update=update)
        with compile_sources(bench.ground.sandbox, bench.runtime, step, nothing, 20.0) as done:
            assert done.outcome.ending is Ending.exited, done.outcome
            assert (done.outcome.stdout, done.outcome.stderr) == (b"", b"")
            assert (done.folder / "program").read_text() == "fine\n"


@pytest.mark.parametrize("bench", COMPILED, indirect=True)
def test_a_build_takes_in_nothing_of_the_host_and_nothing_of_a_network(
    bench: LanguageBench,
) -> None:
    programs = programs_of(bench)
    for attempt in programs.keys() & {"fetches", "reads"}:
        with bench.built(programs[attempt]) as (result, _):
            said = bench.said(result)
            assert result.outcome is CheckOutcome.BUILD_FAILED, said
            assert SECRET_WORD not in said


@pytest.mark.parametrize("bench", WITH_FOREIGN_CODE, indirect=True)
def test_a_compiler_runs_nothing_that_lies_ready_beside_the_sources(bench: LanguageBench) -> None:
    programs = programs_of(bench)
    with bench.built(programs["prepared"]) as (prepared, ready):
        assert prepared.ok, bench.said(prepared)
        with bench.built(programs["beside"], beside=ready.built) as (result, program):
            assert "foreign code ran" not in bench.said(result)
            assert judged(bench.ask(program)) is CheckOutcome.PASSED


def programs_of(bench: LanguageBench) -> dict[str, dict[str, str]]:
    """The attempts in this language, with the secret's place filled in."""
    text = ATTEMPTS[bench.definition.id]
    return tomllib.loads(text.replace("{secret}", str(bench.ground.secret)))
