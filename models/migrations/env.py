"""How Alembic reaches the database: through the connection that `upgrade.py` hands over."""

from typing import cast

from alembic import context
from sqlalchemy import Connection

from models.tables.all_tables import METADATA


def run() -> None:
    """Run the migrations in the transaction that the connection is in."""
    connection = cast("Connection", context.config.attributes["connection"])
    context.configure(
        connection=connection,
        target_metadata=METADATA,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
