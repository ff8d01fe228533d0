"""Jobs without a broker: what is void, what is given back, what is written when a lease is gone."""

import io
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from models.clock import SystemClock
from models.schemas.gate import GateColour, ParityDecision
from models.schemas.run import RunState, Stage
from models.storage.gates import save_decision
from models.verdicts import MACHINE_BOUND, AttemptEnding, Verdict, VoidCategory
from scheduler.campaign_lifecycle import cancel_campaign
from tests.integration.job_bench import Bench
from tests.integration.summing_catalog import MANIFEST, SECRET
from workers.fitness import Fitness
from workers.hands import Hands, HandsOnDemand
from workers.jobs import run_job
from workers.languages.tool_location import stamp_of
from workers.sandbox.request import Mount

pytestmark = pytest.mark.real


def test_a_language_that_the_machine_lacks_is_the_farms_fault(bench: Bench) -> None:
    run = bench.start("reference")
    bench.hands.plan = replace(bench.hands.plan, languages={})
    after = bench.work(run, Stage.AGENT)
    (attempt,) = bench.attempts(run)
    assert after.state is RunState.PLANNED
    assert attempt.ending is AttemptEnding.VOID
    assert attempt.category is VoidCategory.TOOLCHAIN_MISSING


def test_a_void_grade_stage_is_graded_again_from_the_snapshot(bench: Bench) -> None:
    run = bench.start("reference")
    languages = bench.hands.plan.languages
    bench.work(run, Stage.AGENT)
    frozen = bench.run(run).snapshot
    bench.hands.plan = replace(bench.hands.plan, languages={})
    bench.hands.close()
    assert bench.work(run, Stage.GRADE).state is RunState.FROZEN
    bench.hands.plan = replace(bench.hands.plan, languages=languages)
    bench.hands.close()
    after = bench.work(run, Stage.GRADE)
    assert after.verdict is Verdict.PASSED
    assert after.snapshot == frozen
    stages = [attempt.stage for attempt in bench.attempts(run)]
    assert stages.count(Stage.AGENT) == 1


def test_a_second_message_for_a_finished_stage_changes_nothing(bench: Bench) -> None:
    run = bench.start("reference")
    once = bench.work(run, Stage.AGENT, Stage.GRADE)
    again = bench.work(run, Stage.AGENT, Stage.GRADE, Stage.GRADE)
    assert once == again
    assert len(bench.attempts(run)) == 2


def test_a_fault_that_the_task_lacks_is_a_void_that_says_so(bench: Bench) -> None:
    run = bench.start("subject", {"subject": "fault:never-planted"})
    bench.work(run, Stage.AGENT)
    (attempt,) = bench.attempts(run)
    assert attempt.category is VoidCategory.UNKNOWN
    assert "fault:drops-sign" in attempt.detail


def test_a_verifier_proved_with_another_toolchain_grades_nothing(bench: Bench) -> None:
    run = bench.start("reference")
    planned = bench.run(run)
    decision = ParityDecision(
        task="summing",
        language="python",
        universe=planned.universe,
        manifest_digest="sha256:" + "0" * 64,
        toolchain="python 2.7.18",
        isolation="bubblewrap",
        colour=GateColour.GREEN,
        reasons=(),
        checks=("shown-sum", "hidden-sum"),
    )
    with bench.database.transaction() as session:
        save_decision(session, decision, 1.0)
    assert bench.work(run, Stage.AGENT, Stage.GRADE).state is RunState.FROZEN
    last = bench.attempts(run)[-1]
    assert last.category is VoidCategory.TOOLCHAIN_MISMATCH
    assert "python 2.7.18" in last.detail


def test_a_catalogue_that_changed_after_planning_grades_nothing(bench: Bench) -> None:
    run = bench.start("idle")
    bench.work(run, Stage.AGENT)
    checks = bench.root / "catalog" / "tasks" / "summing" / "sealed" / "hidden_checks.json"
    kept = checks.read_text()
    try:
        checks.write_text(kept.replace("-4", "-5"))
        bench.work(run, Stage.GRADE)
    finally:
        checks.write_text(kept)
    assert bench.attempts(run)[-1].category is VoidCategory.MANIFEST_MISMATCH


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """`path` holds `text` within the block, and what it held before, or nothing, after it."""
    kept = path.read_text() if path.exists() else None
    path.write_text(text)
    try:
        yield
    finally:
        path.unlink() if kept is None else path.write_text(kept)


@pytest.mark.parametrize("holds_sealed", [True, False])
@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("public/ticket.md", "Another ticket, and an easier one.\n"),
        ("public/python/SOLUTION.md", "The starter of another day.\n"),
        ("task.toml", MANIFEST.replace("agent_wall_s = 60", "agent_wall_s = 600")),
    ],
)
def test_no_system_works_on_anything_but_what_was_planned(
    bench: Bench, file: str, text: str, holds_sealed: bool
) -> None:
    run = bench.start("scripted", {"actions": ["cp tricks/solves.py main.py"]})
    bench.hands.plan = replace(bench.hands.plan, holds_sealed=holds_sealed)
    with changed(bench.root / "catalog" / "tasks" / "summing" / file, text):
        assert bench.work(run, Stage.AGENT).state is RunState.PLANNED
    (attempt,) = bench.attempts(run)
    assert attempt.category is VoidCategory.MANIFEST_MISMATCH
    assert "the public half" in attempt.detail
    assert bench.work(run, Stage.AGENT).state is RunState.FROZEN


def test_a_ticket_that_changes_while_a_system_works_makes_the_attempt_void(bench: Bench) -> None:
    run = bench.start("scripted", {"actions": ["sleep 1.5"]})
    bench.hands.plan = replace(bench.hands.plan, holds_sealed=False)
    bench.hands.get()
    ticket = bench.root / "catalog" / "tasks" / "summing" / "public" / "ticket.md"
    with changed(ticket, ticket.read_text()):
        timer = threading.Timer(0.5, lambda: ticket.write_text("Something else.\n"))
        timer.start()
        bench.work(run, Stage.AGENT)
        timer.join()
    (attempt,) = bench.attempts(run)
    assert attempt.category is VoidCategory.MANIFEST_MISMATCH


def test_a_new_starter_is_what_changes_are_measured_against(bench: Bench) -> None:
    first = bench.work(bench.start("idle"), Stage.AGENT)
    extra = bench.root / "catalog" / "tasks" / "summing" / "public" / "python" / "more.txt"
    with changed(extra, "more\n"):
        second = bench.work(bench.start("idle"), Stage.AGENT, Stage.GRADE)
    assert first.snapshot != second.snapshot
    assert second.undelivered


def test_no_expected_value_is_kept_where_agents_machines_can_read_it(bench: Bench) -> None:
    run = bench.start("scripted", {"actions": ["echo 'print(0)' > main.py"]})
    assert bench.work(run, Stage.AGENT, Stage.GRADE).verdict is Verdict.FAILED
    folder = Path(bench.hands.plan.settings.artifacts_url.removeprefix("file://"))
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"/0: got 0, not the expected value" in kept
    assert str(SECRET).encode() not in kept
    assert b"expected 3" not in kept


def test_a_hidden_check_that_could_not_be_asked_is_not_named(
    bench: Bench, worker_log: io.StringIO
) -> None:
    hidden = bench.root / "catalog" / "tasks" / "summing" / "sealed" / "hidden_checks.json"
    records = json.loads(hidden.read_text())
    records[0]["input"]["argv"] = ["x" * 200_000]  # longer than the kernel lets an argument be
    with changed(hidden, json.dumps(records)):
        run = bench.start("reference")
        bench.work(run, Stage.AGENT, Stage.GRADE)
    last = bench.attempts(run)[-1]
    assert last.category is VoidCategory.SANDBOX_SETUP
    assert "check 2 of 2" in last.detail
    logged = worker_log.getvalue()
    assert "stage_void" in logged
    for text in (last.detail, logged):
        assert "hidden-sum" not in text
        assert str(SECRET) not in text


def test_a_sealed_half_that_cannot_be_read_is_not_quoted(bench: Bench) -> None:
    hidden = bench.root / "catalog" / "tasks" / "summing" / "sealed" / "hidden_checks.json"
    run = bench.start("idle")
    bench.work(run, Stage.AGENT)
    with changed(hidden, hidden.read_text().replace('"stdout":', f'"{SECRET}":')):
        bench.work(run, Stage.GRADE)
    last = bench.attempts(run)[-1]
    assert last.category is VoidCategory.GRADER
    assert "catalog validate" in last.detail
    assert str(SECRET) not in last.detail


@pytest.fixture
def own_tool(bench: Bench) -> Path:
    """An interpreter for `bench` that may be exchanged and removed."""
    runtime = bench.hands.plan.languages["python"]
    folder = Path(tempfile.mkdtemp(prefix="tool-", dir=bench.root))
    folder.chmod(0o755)
    tool = Path(shutil.copy(runtime.tool, folder / runtime.tool.name))
    own = replace(
        runtime,
        tool=tool,
        stamp=stamp_of(tool),
        mounts=(*runtime.mounts, Mount(folder, str(folder), "ro")),
    )
    bench.hands.plan = replace(bench.hands.plan, languages={"python": own})
    return tool


def exchange(tool: Path) -> None:
    """Put another file in the place of `tool`, as an upgrade does."""
    new = Path(shutil.copy(tool, tool.with_name("new")))
    new.replace(tool)


@pytest.mark.parametrize(
    ("break_it", "category"),
    [
        (Path.unlink, VoidCategory.TOOLCHAIN_MISSING),
        (exchange, VoidCategory.TOOLCHAIN_MISMATCH),
    ],
)
@pytest.mark.parametrize("delay", [None, 1.0])
def test_a_tool_that_is_exchanged_or_removed_is_never_the_judged_codes_fault(
    bench: Bench,
    own_tool: Path,
    break_it: Callable[[Path], None],
    category: VoidCategory,
    delay: float | None,
) -> None:
    slow = "import time\ntime.sleep(1.5)\n"
    run = bench.start("scripted", {"actions": [f"printf '{slow}' > main.py"]})
    assert bench.work(run, Stage.AGENT).state is RunState.FROZEN
    if delay is None:
        break_it(own_tool)
    timer = threading.Timer(delay or 0.0, break_it if delay else str, [own_tool])
    timer.start()
    assert bench.work(run, Stage.GRADE).state is RunState.FROZEN
    timer.join()
    assert bench.attempts(run)[-1].category is category


def test_hands_that_do_not_open_leave_an_attempt_that_says_why(bench: Bench) -> None:
    run = bench.start("idle")
    plan = bench.hands.plan
    scratch = bench.root / "not-a-folder"
    scratch.write_text("")
    settings = plan.settings.model_copy(update={"scratch": scratch})
    bench.hands.plan = replace(plan, settings=settings, fitness=Fitness(["python"]))
    assert bench.work(run, Stage.AGENT).state is RunState.PLANNED
    (attempt,) = bench.attempts(run)
    assert attempt.ending is AttemptEnding.VOID
    assert attempt.category in MACHINE_BOUND
    assert bench.hands.plan.fitness.in_a_row("python") == 1
    bench.hands.plan = replace(plan, fitness=bench.hands.plan.fitness)
    assert bench.work(run, Stage.AGENT).state is RunState.FROZEN
    assert bench.hands.plan.fitness.in_a_row("python") == 0


def test_what_a_task_protects_is_put_back_before_grading(bench: Bench) -> None:
    action = "rm -rf tests; ln -s /etc tests; cp tricks/solves.py main.py"
    run = bench.start("scripted", {"actions": [action]})
    assert bench.work(run, Stage.AGENT, Stage.GRADE).verdict is Verdict.PASSED


def test_a_workspace_that_cannot_be_kept_counts_as_failed(bench: Bench) -> None:
    deep = "d=.; for i in $(seq 80); do d=$d/x; mkdir $d; done"
    run = bench.start("scripted", {"actions": [deep]})
    after = bench.work(run, Stage.AGENT, Stage.GRADE)
    assert after.stop_reason == "workspace_over_limit"
    assert after.verdict is Verdict.FAILED
    assert after.undelivered is False


def test_a_cancelled_run_stops_its_sandbox_and_writes_nothing(bench: Bench) -> None:
    run = bench.start("scripted", {"actions": ["sleep 60"]})
    campaign = bench.run(run).campaign_id
    timer = threading.Timer(1.0, lambda: cancel_campaign(bench.database, campaign, SystemClock()))
    timer.start()
    began = time.monotonic()
    after = bench.work(run, Stage.AGENT)
    timer.join()
    assert time.monotonic() - began < 20
    assert after.state is RunState.CANCELLED
    assert after.snapshot is None


def test_a_worker_that_must_end_gives_its_run_back(bench: Bench) -> None:
    run = bench.start("scripted", {"actions": ["sleep 60"]})
    plan = bench.hands.plan
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        try:
            run_job(HandsOnDemand(plan), run, Stage.AGENT)
        finally:
            os._exit(0)
    time.sleep(2.5)
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    assert bench.run(run).state is RunState.PLANNED
    (attempt,) = bench.attempts(run)
    assert attempt.ending is AttemptEnding.INTERRUPTED


def test_an_agent_worker_never_opens_the_sealed_half(bench: Bench) -> None:
    run = bench.start("reference")
    bench.hands.plan = replace(bench.hands.plan, holds_sealed=False)
    bench.work(run, Stage.AGENT)
    (attempt,) = bench.attempts(run)
    assert attempt.ending is AttemptEnding.VOID
    assert "does not hold the sealed half" in attempt.detail


def test_the_hands_of_a_parent_are_not_used_by_its_child(bench: Bench) -> None:
    ours: Hands = bench.hands.get()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, b"same" if bench.hands.get() is ours else b"own")
        bench.hands.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 4) == b"own"
    os.close(read)
    os.close(write)
