"""What a farm on many machines keeps: one function for each concern.

Constraints without a name here get theirs by the naming convention of the tables.
"""

from collections.abc import Sequence

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add tables and columns; nothing that an older farm wrote changes its meaning."""


def downgrade() -> None:
    """Take them away again."""
