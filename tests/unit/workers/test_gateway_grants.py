"""What a gateway remembers of its grants, and for how long."""

import asyncio
import errno
from pathlib import Path

import pytest

from models.clock import FixedClock
from models.errors import InvalidInput
from models.schemas.longest_stage import BACKSTOP_S
from models.schemas.model_call import GrantRequest
from models.verdicts import VoidCategory
from workers.model_gateway.account import GrantAccount
from workers.model_gateway.budget_book import Hold
from workers.model_gateway.configuration import parse_configuration
from workers.model_gateway.gateway_opening import own_token, token_path
from workers.model_gateway.grant_book import KEPT_S, LONGEST_LIFE_S, GrantBook, OtherFarm
from workers.model_gateway.journal import Journal

FILE = """
[providers.near]
wire = "openai"
base_url = "http://127.0.0.1:9/v1"
[models.m]
provider = "near"
most_output_tokens = 100
[[prices]]
model = "m"
valid_from = 2020-01-01
input = 1
output = 1
"""


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def book(tmp_path: Path, clock: FixedClock) -> GrantBook:
    return GrantBook(parse_configuration(FILE, "gateway.toml"), Journal(tmp_path), clock)


def opened(book: GrantBook, run_id: int) -> GrantAccount:
    grant = book.open(GrantRequest(run_id=run_id, token=1, models=("m",)))
    account = book.account(grant.id)
    assert account is not None
    return account


def test_grants_are_forgotten_by_their_age_whether_anybody_closed_them_or_not(
    tmp_path: Path, clock: FixedClock, book: GrantBook
) -> None:
    left = [opened(book, run) for run in range(60)]
    for run in range(60, 120):
        opened(book, run).close()
    clock.advance(KEPT_S + 1)
    newest = opened(book, 200)
    assert set(book.accounts()) == {*left, newest}, "whose keys live are kept, the closed are not"
    assert len(list(tmp_path.iterdir())) == 61
    newest.close()
    clock.advance(LONGEST_LIFE_S - KEPT_S)
    assert book.account(left[0].opening.id) is left[0], "its report can still be had"
    clock.advance(KEPT_S)
    last = opened(book, 201)
    assert book.accounts() == (last,)
    assert [path.stem for path in tmp_path.iterdir()] == [last.opening.id]
    # A run that is forgotten begins anew, and leaves nothing behind.
    assert book._of_run.keys() == {("", 201)}


def test_a_key_lives_as_long_as_any_stage_and_voids_what_still_uses_it_then(
    clock: FixedClock, book: GrantBook
) -> None:
    grant = book.open(GrantRequest(run_id=1, token=1, models=("m",)))
    account = book.account(grant.id)
    assert account is not None
    clock.advance(BACKSTOP_S)
    assert book.of_key(grant.key) is account
    assert account.fault is None
    clock.advance(1)
    assert book.of_key(grant.key) is None
    assert account.fault is not None
    assert account.fault.category is VoidCategory.GATEWAY


def test_an_attempt_that_asks_again_has_one_key_alone(book: GrantBook) -> None:
    request = GrantRequest(run_id=1, token=1, models=("m",))
    lost, used = book.open(request), book.open(request)
    assert book.of_key(lost.key) is None
    assert book.of_key(used.key) is book.account(used.id)
    kept = book.account(lost.id)
    assert kept is not None
    assert kept.closed
    assert kept.fault is not None, "whoever uses it all the same is void, not failed"
    newer = book.open(request.model_copy(update={"token": 2}))
    assert [one.opening.id for one in book.accounts() if not one.closed] == [newer.id]


def test_one_gateway_serves_one_farm_at_a_time(
    tmp_path: Path, clock: FixedClock, book: GrantBook
) -> None:
    def asked(farm: str, token: int) -> GrantRequest:
        return GrantRequest(farm=farm, run_id=1, token=token, models=("m",))

    ours = book.open(asked("ours", 1))
    for token in (1, 2):
        with pytest.raises(OtherFarm, match="One gateway serves one farm") as told:
            book.open(asked("theirs", token))
        assert str(tmp_path) in told.value.remedy
    kept = book.account(ours.id)
    assert kept is not None
    assert not kept.closed
    # Also after it was started anew, until nothing of that farm is remembered.
    kept.close()
    again = GrantBook(parse_configuration(FILE, "gateway.toml"), Journal(tmp_path), clock)
    with pytest.raises(OtherFarm):
        again.open(asked("theirs", 1))
    clock.advance(KEPT_S + 1)
    theirs = again.open(asked("theirs", 1))
    assert [one.opening.id for one in again.accounts()] == [theirs.id]


def test_a_disk_without_room_voids_the_attempt_and_holds_nothing(
    book: GrantBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = opened(book, 1)

    def full(_grant: str, _entry: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(account, "_write", full)
    asyncio.run(account.reserve(1, Hold(5, 5), {}))
    fault = account.report().fault
    assert fault is not None
    assert fault.category is VoidCategory.GATEWAY
    assert fault.detail == "the journal can't be written: No space left on device"


@pytest.mark.parametrize(
    ("line", "is_void"),
    [
        ('{"open": {"run_id": 9}, "opened": "yesterday"}', False),
        ('{"open": {"run_id": 9, "token": 1, "models": ["m"]}, "opened": 1.0}', False),
        ("[" * 100_000, True),
        ('{"begin": {"number": 7}}', True),
        ('{"call": {"number": "seven"}}', True),
        ('{"fault": []}', True),
    ],
)
def test_a_journal_that_somebody_broke_ends_the_grant_that_it_is_of_and_no_other(
    tmp_path: Path, clock: FixedClock, book: GrantBook, line: str, is_void: bool
) -> None:
    sound, broken = opened(book, 1), opened(book, 2)
    path = tmp_path / f"{broken.opening.id}.jsonl"
    path.write_text((path.read_text() if is_void else "") + line + "\n")
    again = GrantBook(parse_configuration(FILE, "gateway.toml"), Journal(tmp_path), clock)
    kept = again.account(sound.opening.id)
    assert kept is not None
    assert kept.fault is None
    lost = again.account(broken.opening.id)
    assert (lost is not None) is is_void
    if lost is not None and not line.startswith("["):
        assert lost.fault is not None
        assert lost.fault.category is VoidCategory.GATEWAY


@pytest.mark.parametrize("kept", [b"", b"\n", b"short", b"\xff" * 43])
def test_a_file_that_holds_no_token_makes_nobody_the_farm(tmp_path: Path, kept: bytes) -> None:
    made = own_token(tmp_path)
    assert own_token(tmp_path) == made
    token_path(tmp_path).write_bytes(kept)
    with pytest.raises(InvalidInput, match="is no token"):
        own_token(tmp_path)
