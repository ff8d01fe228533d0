"""The first schema.

Constraints without a name here get theirs by the naming convention of the tables.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DIGEST = sa.String(71)
SLUG = sa.String(64)
STAGES = ("agent", "grade")
RUN_STATES = (
    "planned",
    "agent_queued",
    "agent_leased",
    "frozen",
    "grade_queued",
    "grade_leased",
    "graded",
    "void",
    "cancelled",
)
STOP_REASONS = (
    "done",
    "done_gate",
    "turn_budget",
    "wall_budget",
    "cpu_budget",
    "memory_budget",
    "output_budget",
    "disk_budget",
    "cost_budget",
    "token_budget",
    "repeated_malformed",
    "agent_crashed",
    "workspace_over_limit",
)
VOID_CATEGORIES = (
    "worker_lost",
    "lease_expired",
    "sandbox_setup",
    "toolchain_missing",
    "toolchain_mismatch",
    "disk_full",
    "provider_unavailable",
    "gateway",
    "grader",
    "manifest_mismatch",
    "operator",
    "unknown",
)
ENDINGS = ("running", "ok", "void", "lost", "fenced", "interrupted")
TABLES = (
    "queues",
    "systems",
    "variants",
    "campaigns",
    "campaign_queues",
    "campaign_isolations",
    "cells",
    "cell_tallies",
    "runs",
    "attempts",
    "check_reports",
    "outbox",
    "gate_decisions",
    "workers",
    "scheduler_lease",
)


def upgrade() -> None:
    """Create every table."""
    _create_names()
    _create_campaigns()
    _create_cells()
    _create_runs()
    _index_runs()
    _create_attempts()
    _create_check_reports()
    _create_decisions()
    _create_processes()


def downgrade() -> None:
    """Drop every table, with everything in it."""
    for table in reversed(TABLES):
        op.drop_table(table)


def _some(name: str, kind: sa.types.TypeEngine[Any], refers_to: str = "") -> sa.Column[Any]:
    """A column that must have a value; `refers_to` is `<table>.<column>`."""
    links = [sa.ForeignKey(refers_to)] if refers_to else []
    return sa.Column(name, kind, *links, nullable=False)


def _maybe(name: str, kind: sa.types.TypeEngine[Any], refers_to: str = "") -> sa.Column[Any]:
    """A column that may be empty; `refers_to` is `<table>.<column>`."""
    links = [sa.ForeignKey(refers_to)] if refers_to else []
    return sa.Column(name, kind, *links, nullable=True)


def _key(name: str, kind: sa.types.TypeEngine[Any]) -> sa.Column[Any]:
    """A primary key of one column."""
    return sa.Column(name, kind, primary_key=True)


def _one_of(name: str, values: Sequence[str]) -> sa.Enum:
    """Text out of a closed set, enforced by a check called after the column."""
    return sa.Enum(*values, name=name, native_enum=False, create_constraint=True, length=32)


def _create_names() -> None:
    op.create_table(
        "queues",
        _key("pk", sa.Integer()),
        _some("name", sa.String(100)),
        _some("stage", _one_of("stage", STAGES)),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "systems",
        _key("pk", sa.Integer()),
        _some("digest", sa.String(16)),
        _some("name", SLUG),
        _some("agent", SLUG),
        _some("settings", sa.Text()),
        sa.UniqueConstraint("digest", "name"),
    )
    op.create_table(
        "variants",
        _key("pk", sa.Integer()),
        _some("task", SLUG),
        _some("language", SLUG),
        _some("universe", DIGEST),
        _some("public_digest", DIGEST),
        sa.UniqueConstraint("task", "language", "universe", "public_digest"),
    )


def _create_campaigns() -> None:
    states = ("planning", "running", "paused", "cancelled", "finished")
    op.create_table(
        "campaigns",
        _key("pk", sa.Integer()),
        _some("id", sa.String(80)),
        _some("kind", _one_of("kind", ("evaluation", "gate"))),
        _some("state", _one_of("state", states)),
        _some("priority", sa.Integer()),
        _some("repeats", sa.Integer()),
        _some("max_attempts", sa.Integer()),
        _some("unproven", sa.Boolean()),
        _some("spec", sa.Text()),
        _some("limits", sa.Text()),
        _some("total", sa.Integer()),
        _some("planned", sa.Integer()),
        _some("planned_at", sa.Double()),
        _some("created_at", sa.Double()),
        _maybe("ended_at", sa.Double()),
        _some("problem", sa.Text()),
        _maybe("source_pk", sa.Integer(), "campaigns.pk"),
        sa.UniqueConstraint("id"),
        sa.CheckConstraint("planned >= 0 AND planned <= total", name="planned_within_total"),
        sa.CheckConstraint("repeats >= 1", name="repeats_positive"),
    )
    op.create_index("ix_campaigns_state_priority", "campaigns", ["state", "priority"])
    op.create_table(
        "campaign_queues",
        _some("campaign_pk", sa.Integer(), "campaigns.pk"),
        _some("queue_pk", sa.Integer(), "queues.pk"),
        sa.PrimaryKeyConstraint("campaign_pk", "queue_pk"),
    )
    op.create_table(
        "campaign_isolations",
        _some("campaign_pk", sa.Integer(), "campaigns.pk"),
        _some("isolation", sa.Text()),
        sa.PrimaryKeyConstraint("campaign_pk", "isolation"),
    )


def _create_cells() -> None:
    op.create_table(
        "cells",
        _key("pk", sa.Integer()),
        _some("campaign_pk", sa.Integer(), "campaigns.pk"),
        _some("position", sa.Integer()),
        _some("system_pk", sa.Integer(), "systems.pk"),
        _some("variant_pk", sa.Integer(), "variants.pk"),
        _some("agent_queue_pk", sa.Integer(), "queues.pk"),
        _some("grade_queue_pk", sa.Integer(), "queues.pk"),
        sa.UniqueConstraint("campaign_pk", "position"),
        sa.UniqueConstraint("campaign_pk", "system_pk", "variant_pk"),
    )
    op.create_index("ix_cells_system_pk", "cells", ["system_pk"])
    op.create_index("ix_cells_variant_pk", "cells", ["variant_pk"])
    op.create_table(
        "cell_tallies",
        _some("cell_pk", sa.Integer(), "cells.pk"),
        _some("ending", sa.String(40)),
        _some("runs", sa.Integer()),
        sa.PrimaryKeyConstraint("cell_pk", "ending"),
        sa.CheckConstraint("runs >= 0", name="runs_not_negative"),
    )


def _create_runs() -> None:
    op.create_table(
        "runs",
        _key("id", BIG),
        _some("campaign_pk", sa.Integer(), "campaigns.pk"),
        _some("cell_pk", sa.Integer(), "cells.pk"),
        _some("repeat", sa.Integer()),
        _some("state", _one_of("state", RUN_STATES)),
        _some("queue_pk", sa.Integer(), "queues.pk"),
        _some("token", sa.Integer()),
        _some("agent_tries", sa.Integer()),
        _some("grade_tries", sa.Integer()),
        _some("not_before", sa.Double()),
        _maybe("queued_until", sa.Double()),
        _maybe("lease_until", sa.Double()),
        _maybe("worker", sa.String(128)),
        _maybe("snapshot", DIGEST),
        _maybe("stop_reason", _one_of("stop_reason", STOP_REASONS)),
        _maybe("changed", sa.Boolean()),
        _maybe("void_category", _one_of("void_category", VOID_CATEGORIES)),
        _maybe("ended_at", sa.Double()),
        sa.UniqueConstraint("cell_pk", "repeat"),
        sa.CheckConstraint("repeat >= 1", name="repeat_positive"),
        sa.CheckConstraint(
            "(lease_until IS NOT NULL) = (state IN ('agent_leased', 'grade_leased'))",
            name="lease_while_leased",
        ),
        sa.CheckConstraint(
            "(void_category IS NOT NULL) = (state = 'void')", name="category_when_void"
        ),
    )


def _index_runs() -> None:
    indexes = {
        "ix_runs_waiting": (
            ["campaign_pk", "queue_pk", "repeat", "cell_pk"],
            "state IN ('planned', 'frozen')",
        ),
        "ix_runs_queued": (
            ["queued_until", "queue_pk"],
            "state IN ('agent_queued', 'grade_queued')",
        ),
        "ix_runs_leased": (["lease_until"], "state IN ('agent_leased', 'grade_leased')"),
        "ix_runs_void": (["campaign_pk", "cell_pk", "repeat"], "state IN ('void')"),
    }
    for name, (columns, condition) in indexes.items():
        only = sa.text(condition)
        op.create_index(name, "runs", columns, sqlite_where=only, postgresql_where=only)


def _create_attempts() -> None:
    op.create_table(
        "attempts",
        _key("id", BIG),
        _some("run_id", BIG, "runs.id"),
        _some("token", sa.Integer()),
        _some("stage", _one_of("stage", STAGES)),
        _some("number", sa.Integer()),
        _some("worker", sa.String(128)),
        _some("ending", _one_of("ending", ENDINGS)),
        _some("started_at", sa.Double()),
        _maybe("ended_at", sa.Double()),
        _maybe("category", _one_of("category", VOID_CATEGORIES)),
        _some("detail", sa.Text()),
        _maybe("stop_reason", _one_of("stop_reason", STOP_REASONS)),
        _maybe("snapshot", DIGEST),
        _maybe("transcript", DIGEST),
        _maybe("wall_s", sa.Double()),
        _maybe("cpu_s", sa.Double()),
        _maybe("peak_memory_bytes", BIG),
        _some("toolchain", sa.Text()),
        _some("isolation", sa.Text()),
        sa.UniqueConstraint("run_id", "token"),
    )


def _create_check_reports() -> None:
    op.create_table(
        "check_reports",
        _some("run_id", BIG, "runs.id"),
        _some("attempt_id", BIG, "attempts.id"),
        _some("verdict", _one_of("verdict", ("passed", "failed", "void"))),
        _some("undelivered", sa.Boolean()),
        _some("built", sa.Boolean()),
        _some("universe", DIGEST),
        _some("manifest_digest", DIGEST),
        _some("outcomes", sa.Text()),
        _some("report", DIGEST),
        _some("graded_at", sa.Double()),
        _maybe("gate_evidence", sa.Text()),
        sa.PrimaryKeyConstraint("run_id"),
    )


def _create_decisions() -> None:
    op.create_table(
        "gate_decisions",
        _key("id", BIG),
        _some("task", SLUG),
        _some("language", SLUG),
        _some("universe", DIGEST),
        _some("colour", _one_of("colour", ("green", "red", "inconclusive"))),
        _some("toolchain", sa.Text()),
        _some("isolation", sa.Text()),
        _some("campaign_id", sa.String(80)),
        _some("decided_at", sa.Double()),
        _some("document", sa.Text()),
    )
    op.create_index(
        "ix_gate_decisions_task_language_universe",
        "gate_decisions",
        ["task", "language", "universe"],
    )
    op.create_index("ix_gate_decisions_campaign_id", "gate_decisions", ["campaign_id"])


def _create_processes() -> None:
    op.create_table(
        "outbox",
        _key("id", BIG),
        _some("run_id", BIG, "runs.id"),
        _some("stage", _one_of("stage", STAGES)),
        _some("token", sa.Integer()),
        _some("created_at", sa.Double()),
    )
    op.create_table(
        "workers",
        _key("name", sa.String(128)),
        _some("document", sa.Text()),
        _some("started_at", sa.Double()),
        _some("beat_at", sa.Double()),
    )
    op.create_table(
        "scheduler_lease",
        _key("pk", sa.Integer()),
        _some("owner", sa.String(128)),
        _some("until", sa.Double()),
        _some("epoch", SLUG),
        sa.CheckConstraint("pk = 1", name="one_row"),
    )
