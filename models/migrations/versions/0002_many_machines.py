"""What a farm on many machines keeps: one function for each concern.

Constraints without a name here get theirs by the naming convention of the tables.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
ENDINGS = ("running", "ok", "void", "lost", "fenced", "interrupted")
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


def upgrade() -> None:
    """Add tables and columns; nothing that an older farm wrote changes its meaning."""
    _add_tokens()
    _add_requests()
    _count_spoiled_attempts()
    _tell_waiting_times()


def downgrade() -> None:
    """Take them away again."""
    op.drop_column("runs", "queued_at")
    op.drop_table("attempt_tallies")
    for table in ("campaign_changes", "campaign_requests", "api_tokens"):
        op.drop_table(table)


def _add_tokens() -> None:
    """Who may ask over HTTP."""
    roles = sa.Enum(
        "read",
        "schedule",
        "admin",
        name="role",
        native_enum=False,
        create_constraint=True,
        length=32,
    )
    op.create_table(
        "api_tokens",
        sa.Column("pk", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("role", roles, nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=True),
        sa.Column("last_used_at", sa.Double(), nullable=True),
        sa.Column("revoked_at", sa.Double(), nullable=True),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("digest"),
    )


def _add_requests() -> None:
    """Who asked for a campaign over HTTP, and who changed it."""
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "campaign_requests",
        sa.Column("id", big, primary_key=True),
        sa.Column("actor", sa.String(64), nullable=False),
        sa.Column("request_key", sa.String(200), nullable=False),
        sa.Column("digest", sa.String(71), nullable=False),
        sa.Column("campaign_pk", sa.Integer(), sa.ForeignKey("campaigns.pk"), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.UniqueConstraint("actor", "request_key"),
    )
    op.create_index("ix_campaign_requests_campaign_pk", "campaign_requests", ["campaign_pk"])
    op.create_table(
        "campaign_changes",
        sa.Column("id", big, primary_key=True),
        sa.Column("campaign_pk", sa.Integer(), sa.ForeignKey("campaigns.pk"), nullable=False),
        sa.Column("actor", sa.String(64), nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=False),
    )
    op.create_index("ix_campaign_changes_campaign_pk", "campaign_changes", ["campaign_pk"])


def _one_of(name: str, values: Sequence[str]) -> sa.Enum:
    """Text out of a closed set, enforced by a check called after the column."""
    return sa.Enum(*values, name=name, native_enum=False, create_constraint=True, length=32)


def _count_spoiled_attempts() -> None:
    op.create_table(
        "attempt_tallies",
        sa.Column("campaign_pk", sa.Integer(), sa.ForeignKey("campaigns.pk"), primary_key=True),
        sa.Column("ending", _one_of("ending", ENDINGS), primary_key=True),
        sa.Column("category", _one_of("category", VOID_CATEGORIES), primary_key=True),
        sa.Column("attempts", BIG, nullable=False),
        sa.Column("newest_run_id", BIG, nullable=False),
        sa.Column("newest_token", sa.Integer(), nullable=False),
        sa.Column("newest_at", sa.Double(), nullable=False),
    )


def _tell_waiting_times() -> None:
    op.add_column("runs", sa.Column("queued_at", sa.Double(), nullable=True))
