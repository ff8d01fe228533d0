"""How Alembic reaches the database: through the engine that `upgrade.py` hands over."""

from typing import cast

from alembic import context
from sqlalchemy import Engine

from models.tables.all_tables import METADATA


def run() -> None:
    """Run the migrations in one transaction where the database can."""
    engine = cast("Engine", context.config.attributes["engine"])
    with engine.connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=METADATA,
            render_as_batch=engine.dialect.name == "sqlite",
            compare_type=True,
        )
        with context.begin_transaction():
            context.run_migrations()


run()
