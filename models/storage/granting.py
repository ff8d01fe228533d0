"""Gives the roles of PostgreSQL the rights that workers need, and takes all others away."""

from collections.abc import Collection, Iterator, Mapping

from sqlalchemy import Connection, Table, bindparam, text

from models.errors import NotFound, Refused
from models.storage.role_rights import ALL_ROWS, RIGHTS, DatabaseRole, Rights
from models.storage.transaction import Database
from models.tables.all_tables import METADATA

LONGEST_NAME = 63
KEPT_BACK = sorted(
    {name for rights in RIGHTS.values() for name, one in rights.items() if one.rows != ALL_ROWS}
)
"""Tables of which some role sees some rows only."""


def grant_statements(roles: Mapping[DatabaseRole, str]) -> list[str]:
    """The statements that leave each role, given by its name, with exactly its rights.

    They may be run again and again, and must be after the schema changed. Raises Refused where one
    role is to be both.
    """
    if len(set(roles.values())) < len(roles):
        raise Refused(
            "one role for both kinds of workers would leave agent workers with graders' rights.",
            remedy="Make a role of its own for each kind of worker.",
        )
    found = ["REVOKE CREATE ON SCHEMA public FROM PUBLIC"]
    found += [f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY" for table in KEPT_BACK]
    for role, name in roles.items():
        found += _of_role(role, name)
    return found


def _of_role(role: DatabaseRole, name: str) -> Iterator[str]:
    quoted = _quoted(name)
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {quoted}"
    yield f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {quoted}"
    yield f"REVOKE ALL ON SCHEMA public FROM {quoted}"
    yield f"GRANT USAGE ON SCHEMA public TO {quoted}"
    yield f"GRANT SELECT ON alembic_version TO {quoted}"
    for table, rights in sorted(RIGHTS[role].items()):
        yield from _of_table(METADATA.tables[table], rights, quoted)
        if table in KEPT_BACK:
            yield from _policies(table, rights, name)


def _of_table(table: Table, rights: Rights, role: str) -> Iterator[str]:
    for verb, columns in (
        ("SELECT", rights.read),
        ("INSERT", rights.insert),
        ("UPDATE", rights.change),
    ):
        if columns:
            named = "" if columns == ("*",) else f" ({', '.join(columns)})"
            yield f"GRANT {verb}{named} ON {table.name} TO {role}"
    if rights.delete:
        yield f"GRANT DELETE ON {table.name} TO {role}"
    numbered = table.autoincrement_column
    if rights.insert and numbered is not None:
        yield f"GRANT USAGE ON SEQUENCE {table.name}_{numbered.name}_seq TO {role}"


def _policies(table: str, rights: Rights, role: str) -> Iterator[str]:
    rows = rights.rows
    for verb, condition in (
        ("SELECT", f"USING ({rows.seen})" if rights.read else ""),
        ("INSERT", f"WITH CHECK ({rows.left})" if rights.insert else ""),
        ("UPDATE", f"USING ({rows.changed}) WITH CHECK ({rows.left})" if rights.change else ""),
    ):
        policy = _quoted(f"{verb.lower()} {role}"[:LONGEST_NAME])
        yield f"DROP POLICY IF EXISTS {policy} ON {table}"
        if condition:
            yield f"CREATE POLICY {policy} ON {table} FOR {verb} TO {_quoted(role)} {condition}"


def grant_rights(database: Database, roles: Mapping[DatabaseRole, str]) -> None:
    """Leave each role with exactly its rights, or change nothing.

    Raises Refused where the database has no roles, or a role is above all rights; NotFound for one
    that doesn't exist.
    """
    if not database.is_postgresql:
        raise Refused(
            "an SQLite file has no roles: whoever can open it reads all of it.",
            remedy="Let GRADEFARM_DATABASE_URL name a PostgreSQL database.",
        )
    statements = grant_statements(roles)
    with database.migration() as connection:
        _refuse_unfit(connection, list(roles.values()))
        for statement in statements:
            connection.execute(text(statement.replace(":", "\\:")))


FIND_ROLE = text(
    "SELECT CASE WHEN one.rolsuper THEN 'is a superuser'"
    " WHEN one.rolbypassrls THEN 'bypasses row level security'"
    " WHEN pg_has_role(one.oid, relowner, 'MEMBER') THEN 'owns the tables, or may act as who does'"
    " ELSE (SELECT 'is a member of ' || min(above.rolname) FROM pg_roles AS above"
    " WHERE above.rolname IN :above AND above.oid <> one.oid"
    " AND pg_has_role(one.oid, above.oid, 'MEMBER')) END"
    " FROM pg_roles AS one, pg_class"
    " WHERE one.rolname = :called AND pg_class.oid = CAST('runs' AS regclass)"
).bindparams(bindparam("above", expanding=True))
ABOVE_TABLES = (
    *("pg_read_all_data", "pg_write_all_data", "pg_execute_server_program"),
    *("pg_read_server_files", "pg_write_server_files"),
)
"""Roles of every PostgreSQL, whose members no right to a table binds."""


def _refuse_unfit(connection: Connection, names: Collection[str]) -> None:
    for name in names:
        asked = {"called": name, "above": [*ABOVE_TABLES, *names]}
        found = connection.execute(FIND_ROLE, asked).one_or_none()
        if found is None:
            raise NotFound(
                f"the database has no role {name}.",
                remedy=f"Make it: CREATE ROLE {_quoted(name)} LOGIN PASSWORD '…';",
            )
        if found[0] is not None:
            raise Refused(
                f"the role {name} {found[0]}: nothing would bind it to its rights.",
                remedy="Make a role of its own for each kind of worker.",
            )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
