"""What each role of a worker may do with each table: the one place that says so.

A worker's password opens no more of the database than its stage needs. Whoever adds a table or a
column says here who may have it; what is not named is given to nobody. The scheduler, the command
line and the API use the owner of the tables, whom nothing here binds.
"""

from dataclasses import dataclass
from enum import StrEnum

from models.messaging.queues import SEALED_AGENTS
from models.schemas.run import LEASED, QUEUED, WAITING, RunState, Stage
from models.storage.attempts import REFUSABLE
from models.storage.tallies import VOID_PREFIX
from models.verdicts import AttemptEnding

EVERY = ("*",)


class DatabaseRole(StrEnum):
    """Whose password it is. A worker of the role all is a grader to the database."""

    AGENT = "agent"
    GRADE = "grade"


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows, as conditions in SQL: those that are seen, those that may be changed, and what
    they must be after a change or an insertion."""

    seen: str = "true"
    changed: str = "true"
    left: str = "true"


ALL_ROWS = Rows()


@dataclass(frozen=True, slots=True)
class Rights:
    """What may be done with the columns of one table; `rows` only where some are kept back."""

    read: tuple[str, ...] = ()
    insert: tuple[str, ...] = ()
    change: tuple[str, ...] = ()
    delete: bool = False
    rows: Rows = ALL_ROWS


NONE = Rights()


def _listed(values: "tuple[StrEnum | str, ...]") -> str:
    return ", ".join(f"'{value}'" for value in values)


TO_AGENTS = (WAITING[Stage.AGENT], QUEUED[Stage.AGENT], LEASED[Stage.AGENT])
BY_AGENTS = (WAITING[Stage.AGENT], LEASED[Stage.AGENT], RunState.FROZEN, RunState.VOID)

OPEN_SYSTEMS = Rows(seen=f"agent NOT IN ({_listed(tuple(sorted(SEALED_AGENTS)))})")
"""The others are named by what they leave: the reference, or a planted fault."""
OF_OPEN_SYSTEMS = "EXISTS (SELECT FROM systems WHERE systems.pk = runs.system_pk)"
OPEN_RUNS = Rows(
    seen=OF_OPEN_SYSTEMS,
    changed=f"state IN ({_listed(TO_AGENTS)})",
    left=f"state IN ({_listed(BY_AGENTS)})",
)
AGENT_STAGE = (
    f"stage = '{Stage.AGENT}' AND EXISTS (SELECT FROM runs WHERE runs.id = attempts.run_id)"
)
AGENT_ATTEMPTS = Rows(
    seen=AGENT_STAGE,
    changed=f"{AGENT_STAGE} AND ending IN ({_listed(REFUSABLE)})",
    left=AGENT_STAGE,
)
"""What was seen to end is never written over: only what goes on, or was given up unseen."""
AGENT_ROW = """document::json ->> 'roles' = '["agent"]'"""
AGENT_WORKERS = Rows(changed=AGENT_ROW, left=AGENT_ROW)
"""All workers are seen; the rows of those that grade are not an agent worker's to write."""
VOID_ENDINGS = f"ending LIKE '{VOID_PREFIX}%'"
VOID_TALLIES = Rows(VOID_ENDINGS, VOID_ENDINGS, VOID_ENDINGS)

RUN_READ = (
    *("id", "campaign_pk", "cell_pk", "system_pk", "repeat", "state", "token"),
    *("agent_tries", "grade_tries", "worker", "snapshot", "stop_reason", "changed"),
)
RUN_CHANGE = (
    *("state", "token", "queue_pk", "queued_at", "queued_until", "lease_until", "worker"),
    *("not_before", "snapshot", "stop_reason", "changed", "agent_tries", "void_category"),
    "ended_at",
)
ATTEMPT_READ = ("id", "run_id", "token", "stage", "number", "ending", "started_at")
ATTEMPT_INSERT = (
    *("run_id", "token", "stage", "number", "worker", "ending", "started_at", "detail"),
    *("toolchain", "isolation"),
)
ATTEMPT_CHANGE = (
    *("ending", "ended_at", "category", "detail", "stop_reason", "snapshot", "transcript"),
    *("wall_s", "cpu_s", "peak_memory_bytes", "toolchain", "isolation"),
    *("cost_microusd", "tokens", "replies"),
)
TALLY = ("cell_pk", "ending", "runs")
WORKER_INSERT = ("name", "document", "started_at", "beat_at")
WORKER_CHANGE = (
    *("document", "started_at", "beat_at", "result_at"),
    *("duty", "duty_reason", "duty_by", "duty_since"),
)
"""A duty, since a worker imposes a quarantine on itself."""
SPOILED_CHANGE = ("attempts", "newest_run_id", "newest_token", "newest_at")

CAMPAIGN_READ = ("pk", "id", "state", "limits", "max_attempts")
STAGE_RECORD = ("run_id", "recorded_run", "open_entry", "stage_lines", "stage_seal")
GRADE_RECORD = ("grade_lines", "grade_seal", "close_entry", "digest")
NUMBER, SHA256 = "[1-9][0-9]{0,17}", "[0-9a-f]{64}"
GOES_ON = (
    "EXISTS (SELECT FROM attempts WHERE attempts.run_id = (leaf::json ->> 'run')::bigint"
    " AND attempts.token = (leaf::json ->> 'attempt')::bigint"
    f" AND attempts.ending = '{AttemptEnding.RUNNING}')"
)
"""An attempt of the agent stage: the others are not seen."""
OPENED_OR_VOID = (
    f"""^{{"attempt":{NUMBER},("kind":"run.open","line":"{SHA256}"|"""
    f""""category":"[a-z_]+","kind":"run.void"),"run":"{NUMBER}","v":1}}$"""
)
AGENT_LEAVES = Rows(left=f"CASE WHEN leaf ~ '{OPENED_OR_VOID}' THEN {GOES_ON} END")
"""What agent workers may say to the log, to the letter as `log_leaves` writes it: that an attempt
of theirs which goes on was opened, or is void; never that one was closed."""
OPEN_RECORDS = Rows(left="EXISTS (SELECT FROM runs WHERE runs.id = run_records.run_id)")

BOTH: dict[str, Rights] = {
    "system_limits": Rights(
        read=("digest", "max_concurrent", "starts_per_minute", "next_start_at"),
        change=("next_start_at",),
    ),
    "variants": Rights(read=EVERY),
    "campaigns": Rights(read=CAMPAIGN_READ),
    "campaign_isolations": Rights(insert=EVERY),
    "campaign_budgets": Rights(
        read=("campaign_pk", "resource", "total", "run_cap", "reserved", "spent"),
        insert=("campaign_pk", "resource", "run_cap", "reserved", "spent"),
        change=("reserved", "spent"),
    ),
    "reservations": Rights(
        read=("run_id", "token", "resource", "amount"), insert=EVERY, delete=True
    ),
    "cells": Rights(read=("pk", "campaign_pk", "system_pk", "variant_pk", "grade_queue_pk")),
    "attempt_tallies": Rights(read=EVERY, insert=EVERY, change=SPOILED_CHANGE),
    "workers": Rights(read=EVERY, insert=WORKER_INSERT, change=WORKER_CHANGE),
    "scheduler_lease": Rights(read=EVERY),
    "queues": NONE,
    "campaign_queues": NONE,
    "outbox": NONE,
    "api_tokens": NONE,
    "campaign_requests": NONE,
    "campaign_changes": NONE,
    "farm_log": Rights(read=EVERY),
    "log_nodes": NONE,
    "recordings": NONE,
}
"""What every worker needs, and what none does."""

RIGHTS: dict[DatabaseRole, dict[str, Rights]] = {
    DatabaseRole.AGENT: {
        **BOTH,
        "systems": Rights(read=EVERY, rows=OPEN_SYSTEMS),
        "workers": Rights(EVERY, WORKER_INSERT, WORKER_CHANGE, rows=AGENT_WORKERS),
        "runs": Rights(read=RUN_READ, change=RUN_CHANGE, rows=OPEN_RUNS),
        "attempts": Rights(ATTEMPT_READ, ATTEMPT_INSERT, ATTEMPT_CHANGE, rows=AGENT_ATTEMPTS),
        "cell_tallies": Rights(TALLY, TALLY, ("runs",), rows=VOID_TALLIES),
        "check_reports": NONE,
        "gate_decisions": NONE,
        "log_entries": Rights(read=("id",), insert=("leaf",), rows=AGENT_LEAVES),
        "run_records": Rights(insert=STAGE_RECORD, rows=OPEN_RECORDS),
    },
    DatabaseRole.GRADE: {
        **BOTH,
        "systems": Rights(read=EVERY),
        "runs": Rights(read=RUN_READ, change=(*RUN_CHANGE, "grade_tries")),
        "attempts": Rights(ATTEMPT_READ, ATTEMPT_INSERT, ATTEMPT_CHANGE),
        "cell_tallies": Rights(TALLY, TALLY, ("runs",)),
        "campaigns": Rights(read=(*CAMPAIGN_READ, "source_pk")),
        "check_reports": Rights(insert=EVERY),
        "log_entries": Rights(read=("id", "leaf"), insert=("leaf",)),
        "run_records": Rights(EVERY, STAGE_RECORD, GRADE_RECORD),
        "gate_decisions": Rights(
            read=("id", "task", "language", "universe", "colour", "toolchain")
        ),
    },
}
