"""`gradefarm tokens`: who may ask this farm over HTTP."""

from typing import Annotated

import typer
from pydantic import ValidationError

from models.clock import as_iso
from models.errors import InputFault, InvalidInput
from models.schemas.api_token import LONGEST_LIFE_DAYS, NewToken, TokenRole, TokenView
from models.storage.api_tokens import create_token, list_tokens, revoke_token
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.text_tables import columns, print_json

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Who may ask this farm over HTTP, and for what.",
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name for logs, such as ci.")]


@app.command()
def create(
    name: Name,
    *,
    role: Annotated[TokenRole, typer.Option(help="What it may do; each may do more.")],
    days: Annotated[
        float | None, typer.Option(help="How long it lives; without it, until it is revoked.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a token and print it, this once: the farm keeps only a digest of it.

    read looks at everything but answers; schedule also starts and steers campaigns; admin also
    steers workers and limits, makes tokens, and reads artifacts, which may hold answers.

    \b
      gradefarm tokens create laptop --role schedule
      gradefarm tokens create grafana --role read --days 365
    """
    try:
        wanted = NewToken(name=name, role=role, days=days)
    except ValidationError as error:
        faults = [_fault(str(one["loc"][0])) for one in error.errors()]
        raise InvalidInput("the command line", faults) from error
    farm = open_local_farm()
    with farm.database.transaction() as session:
        made = create_token(session, wanted, farm.clock.now())
    if as_json:
        print_json(made)
        return
    print(made.secret)
    print(f"\n{name} may {role.value}{_until(made.token)}. It is not shown again. To use it, let")
    print("GRADEFARM_TOKEN hold it, or ~/.config/gradefarm/token (mode 600).")


def _fault(field: str) -> InputFault:
    if field == "name":
        return InputFault("NAME", "can't be a name", "use a-z, 0-9 and inner hyphens")
    remedy = f"give a number above 0 and at most {LONGEST_LIFE_DAYS}"
    return InputFault("--days", "no such time", remedy)


def _until(token: TokenView) -> str:
    return "" if token.expires_at is None else f" until {as_iso(token.expires_at)}"


@app.command("list")
def list_them(*, as_json: JsonFlag = False) -> None:
    """All tokens that were ever made, without their secrets.

    \b
      gradefarm tokens list
    """
    farm = open_local_farm()
    with farm.database.read() as session:
        found = list_tokens(session)
    if as_json:
        print_json(found)
        return
    now = farm.clock.now()
    head = ("token", "role", "state", "created", "expires", "last used")
    rows = [
        (
            one.name,
            one.role.value,
            _state(one, now),
            as_iso(one.created_at),
            one.expires_at and as_iso(one.expires_at),
            one.last_used_at and as_iso(one.last_used_at),
        )
        for one in found
    ]
    print(columns(head, rows))


def _state(token: TokenView, now: float) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "good" if token.is_good_at(now) else "expired"


@app.command()
def revoke(name: Name) -> None:
    """Let a token open nothing from now on. Its name stays taken.

    \b
      gradefarm tokens revoke laptop
    """
    farm = open_local_farm()
    with farm.database.transaction() as session:
        revoke_token(session, name, farm.clock.now())
    print(f"{name} opens nothing any more")
