"""`gradefarm keys`: who may sign the farm's records."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from models.counted_nouns import counted
from models.errors import InputFault, InvalidInput
from models.records.key_leaves import KeyAction
from models.records.signing_keys import KeyRole, new_key
from models.schemas.log_leaf import KeyLeaf
from models.schemas.trust import TrustedKey
from models.settings import current_settings
from models.storage.key_folder import KeyFolder, write_key
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.text_tables import columns, print_json
from scheduler.farm_keys import Ended, FarmKeys

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Who may sign the farm's records. Every change is a leaf of its log, signed by the root.",
)

KeyName = Annotated[str, typer.Argument(metavar="KEY", help="As `keys list` calls it.")]
Root = Annotated[
    Path | None,
    typer.Option("--root", metavar="FOLDER", help="Where root.pem is, if not in GRADEFARM_KEYS."),
]


@app.command("list")
def list_them(*, as_json: JsonFlag = False) -> None:
    """Every key that the log names, where in it it is good, and which are on this machine.

    A change that waits for its place in the log is shown as waiting; the scheduler gives it one.

    \b
      gradefarm keys list
    """
    folder = KeyFolder(current_settings().keys)
    keys = _keys()
    waiting = keys.waiting()  # first: what gets its place meanwhile is then told by the log
    found = keys.policy()
    here = {key.id for role in KeyRole if (key := folder.find(role)) is not None}
    known = {key.id: key for key in found.keys}
    told = [
        {**_told(name, known.get(name), waiting.get(name)), "here": name in here}
        for name in dict.fromkeys([*known, *waiting])
    ]
    if as_json:
        print_json(told)
        return
    print(f"keys of {found.log}; positions are those of the log")
    head = ("key", "role", "from", "until", "state", "here")
    print(columns(head, [_row(one) for one in told]))


def _told(name: str, key: TrustedKey | None, waiting: KeyLeaf | None) -> Mapping[str, object]:
    """A key as JSON: one that only waits to be added has no position yet."""
    ends = {"waiting": None if waiting is None else waiting.action}
    if key is not None:
        return key.model_dump() | ends
    assert waiting is not None
    unplaced = {"first": None, "until": None, "revoked": False}
    return {"id": name, "role": waiting.role, "public": waiting.public, **unplaced, **ends}


def _row(told: Mapping[str, object]) -> tuple[object, ...]:
    ended = "revoked" if told["revoked"] else "retired"
    state = "good" if told["until"] is None else ended
    if told["waiting"] is not None:
        state = f"waits: {told['waiting']}"
    here = "yes" if told["here"] else ""
    return (told["id"], told["role"], told["first"], told["until"], state, here)


@app.command()
def new(
    role: Annotated[KeyRole, typer.Argument(help="What it is to sign.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A new file.")],
    as_json: JsonFlag = False,
) -> None:
    """Make a key for the first start of a farm, where its keys are to be made beforehand.

    The log names whatever lies in GRADEFARM_KEYS when the first scheduler begins it. Later, keys
    take the place of others by `gradefarm keys rotate`.

    \b
      gradefarm keys new root -o keys/root.pem
    """
    if output.exists():
        fault = InputFault("--output", f"{output} is there", "name a file that is not")
        raise InvalidInput("the command line", [fault])
    key = new_key(role)
    output.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_key(output, key)
    if as_json:
        print_json({"key": key.id, "public": key.public, "file": str(output)})
        return
    print(f"{output}: {key.id}")


@app.command()
def rotate(
    role: Annotated[KeyRole, typer.Argument(help="Whose key.")],
    *,
    root: Root = None,
    as_json: JsonFlag = False,
) -> None:
    """Put a new key in place of this machine's. The old one stays good until it is retired.

    Bring the new file to every worker of the role, then retire the old key: records that it signed
    before go on holding.

    \b
      gradefarm keys rotate recorder
      gradefarm keys rotate grader --root /media/stick
    """
    done = _keys(root).rotate(role)
    before = None if done.before is None else done.before.id
    if as_json:
        print_json({"key": done.key.id, "file": str(done.path), "before": before})
        return
    print(f"{done.path}: {done.key.id}, good from its place in the log on")
    if before is not None:
        print(f"bring it to every worker of the role, then: gradefarm keys retire {before}")


@app.command()
def retire(key: KeyName, *, root: Root = None, as_json: JsonFlag = False) -> None:
    """End a key that another took the place of; what it signed until now goes on holding.

    \b
      gradefarm keys retire recorder-1c47ff07711f38ab
    """
    _end(KeyAction.RETIRE, key, root, as_json=as_json)


@app.command()
def revoke(key: KeyName, *, root: Root = None, as_json: JsonFlag = False) -> None:
    """End a key that fell into other hands; runs that it signed and that close later don't count.

    What a grader signed is graded again (`gradefarm regrade`), what a recorder signed is run again:
    no grading mends its stage. What was closed before holds: the order of
    the log proves it.

    \b
      gradefarm keys revoke grader-1c47ff07711f38ab
    """
    _end(KeyAction.REVOKE, key, root, as_json=as_json)


def _end(action: KeyAction, name: str, root: Path | None, *, as_json: bool) -> None:
    ended = _keys(root).end(action, name)
    key, good = ended.key, ended.good
    if as_json:
        told = None if good is None else good.id
        print_json({"key": key.id, "action": action.value, "good": told})
        return
    print("\n".join(told_of_end(action, ended, root)))


def told_of_end(action: KeyAction, ended: Ended, root: Path | None) -> list[str]:
    """That a key was ended, and what is to be done about it."""
    key, good = ended.key, ended.good
    told = [f"{key.id}: {action.value} is entered into the log"]
    if good is not None:
        return [*told, f"good is {good.id}: what is signed with the ended key is refused"]
    where = "" if root is None else f" --root {shlex.quote(str(root))}"
    return [
        *told,
        f"no {key.role} key is good any more: what is signed from now on is refused",
        f"run now: gradefarm keys rotate {key.role}{where}",
        "then bring the new file to every machine that signs with that role's key",
    ]


@app.command()
def trust(
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Else printed.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """The public keys with what they are good for: all that a verifier needs besides a record.

    \b
      gradefarm keys trust -o trust.json
    """
    policy = _keys().settled_policy()
    text = policy.model_dump_json(indent=2) + "\n"
    if output is None:
        print(text, end="")
        return
    output.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"file": str(output), "keys": len(policy.keys)})
        return
    print(f"{output}: {counted(len(policy.keys), 'key')} of {policy.log}")


def _keys(root: Path | None = None) -> FarmKeys:
    settings = current_settings()
    roots = None if root is None else KeyFolder(root)
    return FarmKeys(open_local_farm().database, KeyFolder(settings.keys), roots)
