"""What real agents need: one function for each concern.

Constraints without a name here get theirs by the naming convention of the tables.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add tables and columns; nothing that an older farm wrote changes its meaning."""
    _add_log()
    _add_records()
    _add_recordings()
    _add_replies()


def downgrade() -> None:
    """Take them away again."""
    with op.batch_alter_table("attempts") as attempts:
        attempts.drop_column("replies")
    for table in ("recordings", "run_records", "log_nodes", "log_entries", "farm_log"):
        op.drop_table(table)


def _add_log() -> None:
    """What was entered into the farm's log, in which order."""
    op.create_table(
        "farm_log",
        sa.Column("pk", sa.Integer(), primary_key=True),
        sa.Column("origin", sa.String(80), nullable=False),
        sa.Column("root_key", sa.String(44), nullable=False),
        sa.Column("size", BIG, nullable=False),
        sa.Column("checkpoint", sa.Text(), nullable=False),
        sa.CheckConstraint("pk = 1", name="one_row"),
    )
    op.create_table(
        "log_entries",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("leaf", sa.Text(), nullable=False),
        sa.Column("position", BIG, nullable=True),
        sa.UniqueConstraint("position"),
    )
    pending = sa.text("position IS NULL")
    op.create_index(
        "ix_log_entries_pending",
        "log_entries",
        ["id"],
        sqlite_where=pending,
        postgresql_where=pending,
    )
    op.create_table(
        "log_nodes",
        sa.Column("level", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("place", BIG, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )


def _add_records() -> None:
    """What each run's record holds."""
    op.create_table(
        "run_records",
        sa.Column("run_id", BIG, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("recorded_run", BIG, nullable=False),
        sa.Column("open_entry", BIG, sa.ForeignKey("log_entries.id"), nullable=False),
        sa.Column("stage_lines", sa.Text(), nullable=False),
        sa.Column("stage_seal", sa.Text(), nullable=False),
        sa.Column("grade_lines", sa.Text(), nullable=True),
        sa.Column("grade_seal", sa.Text(), nullable=True),
        sa.Column("close_entry", BIG, sa.ForeignKey("log_entries.id"), nullable=True),
        sa.Column("digest", sa.String(64), nullable=True),
    )


def _add_recordings() -> None:
    """What was imported from elsewhere."""
    formats = sa.Enum(
        "claude-code",
        "claude-code-stream",
        "codex",
        "codex-exec",
        "atif",
        "mini-swe-agent",
        "inspect",
        "aider",
        name="format",
        native_enum=False,
        create_constraint=True,
        length=32,
    )
    op.create_table(
        "recordings",
        sa.Column("id", BIG, primary_key=True),
        sa.Column("format", formats, nullable=False),
        sa.Column("agent", sa.String(200), nullable=False),
        sa.Column("agent_version", sa.String(200), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("session", sa.String(200), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost_microusd", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("imported_at", sa.Double(), nullable=False),
        sa.Column("document", sa.String(71), nullable=False),
        sa.UniqueConstraint("document"),
    )


def _add_replies() -> None:
    """What became of the replies of language models."""
    op.add_column("attempts", sa.Column("replies", sa.Text(), nullable=True))
