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


def upgrade() -> None:
    """Add tables and columns; nothing that an older farm wrote changes its meaning."""
    _add_tokens()
    _add_requests()


def downgrade() -> None:
    """Take them away again."""
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
