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

WAITING = "state IN ('planned', 'frozen')"
QUEUED = "state IN ('agent_queued', 'grade_queued')"
LEASED_TO_AGENTS = "state IN ('agent_leased')"

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

COUNT_FORMER = """
INSERT INTO attempt_tallies
    (campaign_pk, ending, category, attempts, newest_run_id, newest_token, newest_at)
SELECT campaign_pk, ending, category, attempts, run_id, token, at
FROM (
    SELECT runs.campaign_pk, attempts.ending, COALESCE(attempts.category, 'unknown') AS category,
           attempts.run_id, attempts.token,
           COALESCE(attempts.ended_at, attempts.started_at) AS at,
           COUNT(*) OVER (PARTITION BY runs.campaign_pk, attempts.ending,
                                       COALESCE(attempts.category, 'unknown')) AS attempts,
           ROW_NUMBER() OVER (PARTITION BY runs.campaign_pk, attempts.ending,
                                           COALESCE(attempts.category, 'unknown')
                              ORDER BY COALESCE(attempts.ended_at, attempts.started_at) DESC,
                                       attempts.id DESC) AS place
    FROM attempts JOIN runs ON runs.id = attempts.run_id
    WHERE attempts.ending IN ('void', 'lost', 'fenced')
) AS spoiled
WHERE place = 1
"""
"""What was spoiled before it was counted; the newest of each kind is the one at place 1."""

REFUSE_WITHOUT_LANE = """
CREATE TRIGGER runs_have_lanes BEFORE INSERT ON runs WHEN NEW.system_pk = 0
BEGIN SELECT RAISE(ABORT, 'runs.system_pk is missing: the database has moved on'); END
"""
"""What the lack of a default does elsewhere: here a column that was added can't lose its own."""


def upgrade() -> None:
    """Add tables and columns; nothing that an older farm wrote changes its meaning."""
    _add_tokens()
    _add_requests()
    _count_spoiled_attempts()
    _tell_waiting_times()
    _add_lanes()
    _add_system_limits()
    _add_budgets()
    _give_workers_duties()
    _tell_protocols()
    _tell_pauses()


def downgrade() -> None:
    """Take them away again."""
    op.drop_column("campaigns", "stops_work")
    _drop_budgets()
    op.drop_table("system_limits")
    _drop_lanes()
    with op.batch_alter_table("scheduler_lease") as batch:
        batch.drop_column("protocol")
    with op.batch_alter_table("workers") as batch:
        batch.drop_constraint("duty", type_="check")
        for column in ("result_at", "duty_since", "duty_by", "duty_reason", "duty"):
            batch.drop_column(column)
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
    op.execute(COUNT_FORMER)


def _tell_waiting_times() -> None:
    op.add_column("runs", sa.Column("queued_at", sa.Double(), nullable=True))


def _add_lanes() -> None:
    """Runs wait by system as well. A plain column: SQLite can't rebuild a table that others
    refer to."""
    for index in ("ix_runs_waiting", "ix_runs_queued"):
        op.drop_index(index, "runs")
    op.add_column("runs", sa.Column("system_pk", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE runs SET system_pk = (SELECT system_pk FROM cells WHERE cells.pk = runs.cell_pk)"
    )
    # So that a planner of the older farm, which knows no lanes, is refused.
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("runs", "system_pk", server_default=None)
    else:
        op.execute(REFUSE_WITHOUT_LANE)
    _index_runs("ix_runs_waiting", WAITING, "campaign_pk queue_pk system_pk repeat cell_pk")
    _index_runs("ix_runs_queued", QUEUED, "queued_until queue_pk system_pk campaign_pk")
    _index_runs("ix_runs_at_work", LEASED_TO_AGENTS, "system_pk")
    _campaign_queues("campaign_pk", "queue_pk", "system_pk")


def _drop_lanes() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER runs_have_lanes")
    for index in ("ix_runs_waiting", "ix_runs_queued", "ix_runs_at_work"):
        op.drop_index(index, "runs")
    op.drop_column("runs", "system_pk")
    _index_runs("ix_runs_waiting", WAITING, "campaign_pk queue_pk repeat cell_pk")
    _index_runs("ix_runs_queued", QUEUED, "queued_until queue_pk")
    _campaign_queues("campaign_pk", "queue_pk")


def _index_runs(name: str, condition: str, columns: str) -> None:
    only = sa.text(condition)
    op.create_index(name, "runs", columns.split(), sqlite_where=only, postgresql_where=only)


def _campaign_queues(*keys: str) -> None:
    """The queues that runs pass through, told anew from the cells."""
    refers_to = {
        "campaign_pk": "campaigns.pk",
        "queue_pk": "queues.pk",
        "system_pk": "systems.pk",
    }
    op.drop_table("campaign_queues")
    op.create_table(
        "campaign_queues",
        *(
            sa.Column(key, sa.Integer(), sa.ForeignKey(refers_to[key]), nullable=False)
            for key in keys
        ),
        sa.PrimaryKeyConstraint(*keys),
    )
    named = ", ".join(keys)
    for stage in ("agent", "grade"):
        found = named.replace("queue_pk", f"{stage}_queue_pk")
        op.execute(
            f"INSERT INTO campaign_queues ({named}) SELECT DISTINCT {found} FROM cells WHERE true "
            "ON CONFLICT DO NOTHING"
        )


def _add_system_limits() -> None:
    op.create_table(
        "system_limits",
        sa.Column("digest", sa.String(16), primary_key=True),
        sa.Column("max_concurrent", sa.Integer(), nullable=True),
        sa.Column("starts_per_minute", sa.Integer(), nullable=True),
        sa.Column("next_start_at", sa.Double(), nullable=False),
        sa.Column("set_by", sa.String(80), nullable=False),
        sa.CheckConstraint(
            "max_concurrent >= 1 AND starts_per_minute >= 1", name="limits_positive"
        ),
    )


def _add_budgets() -> None:
    resource = sa.Enum(
        *("cost", "tokens", "wall"),
        name="resource",
        native_enum=False,
        create_constraint=True,
        length=32,
    )
    op.create_table(
        "campaign_budgets",
        sa.Column("campaign_pk", sa.Integer(), sa.ForeignKey("campaigns.pk"), nullable=False),
        sa.Column("resource", resource, nullable=False),
        sa.Column("total", BIG, nullable=True),
        sa.Column("run_cap", BIG, nullable=False),
        sa.Column("reserved", BIG, nullable=False),
        sa.Column("spent", BIG, nullable=False),
        sa.PrimaryKeyConstraint("campaign_pk", "resource"),
        sa.CheckConstraint("reserved >= 0 AND spent >= 0", name="amounts_not_negative"),
        sa.CheckConstraint("total IS NULL OR run_cap > 0", name="cap_where_limited"),
    )
    op.create_table(
        "reservations",
        sa.Column("run_id", BIG, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("resource", resource, nullable=False),
        sa.Column("campaign_pk", sa.Integer(), sa.ForeignKey("campaigns.pk"), nullable=False),
        sa.Column("token", sa.Integer(), nullable=False),
        sa.Column("amount", BIG, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "resource"),
        sa.CheckConstraint("amount > 0", name="amount_positive"),
    )
    for column in ("cost_microusd", "tokens"):
        op.add_column("attempts", sa.Column(column, BIG, nullable=True))


def _drop_budgets() -> None:
    for column in ("cost_microusd", "tokens"):
        op.drop_column("attempts", column)
    op.drop_table("reservations")
    op.drop_table("campaign_budgets")


def _give_workers_duties() -> None:
    """What each worker was told to do."""
    with op.batch_alter_table("workers") as batch:
        batch.add_column(sa.Column("duty", sa.String(32), nullable=False, server_default="serve"))
        batch.add_column(sa.Column("duty_reason", sa.Text(), nullable=False, server_default=""))
        batch.add_column(sa.Column("duty_by", sa.String(16), nullable=False, server_default=""))
        batch.add_column(sa.Column("duty_since", sa.Double(), nullable=False, server_default="0"))
        batch.add_column(sa.Column("result_at", sa.Double(), nullable=False, server_default="0"))
        batch.create_check_constraint("duty", "duty IN ('serve', 'drain', 'quarantine')")


def _tell_protocols() -> None:
    """Which protocol the farm speaks: 1 for farms that did not tell.

    Without a default for new rows, which every scheduler offers before it takes office: one from
    before protocols never takes it again, however it came to be at work.
    """
    op.add_column(
        "scheduler_lease", sa.Column("protocol", sa.Integer(), nullable=False, server_default="1")
    )
    with op.batch_alter_table("scheduler_lease") as batch:
        batch.alter_column("protocol", server_default=None)


def _tell_pauses() -> None:
    """Whether a pause takes back what is at work."""
    op.add_column(
        "campaigns",
        sa.Column("stops_work", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
