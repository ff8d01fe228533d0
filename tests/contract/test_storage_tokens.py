"""Tokens of the HTTP API and requests for campaigns, on both databases."""

import pytest
from sqlalchemy import text

from models.errors import NotFound, Refused
from models.schemas.api_token import NewToken, TokenRole
from models.schemas.campaign_request import CampaignRequest
from models.storage.api_tokens import (
    any_token,
    create_token,
    find_token,
    list_tokens,
    note_uses,
    revoke_token,
)
from models.storage.campaign_requests import (
    AskedBefore,
    campaign_of_request,
    changes_of,
    keep_request,
    note_change,
)
from models.storage.transaction import Database
from tests.fakes.campaigns import NOW, write_campaign

ASKED = CampaignRequest(actor="ci", key="nightly-1", digest="sha256:" + "a" * 64)


def made(database: Database, name: str = "ci", days: float | None = None) -> str:
    wanted = NewToken(name=name, role=TokenRole.SCHEDULE, days=days)
    with database.transaction() as session:
        return create_token(session, wanted, NOW).secret


def test_a_token_opens_until_it_expires_or_is_revoked(database: Database) -> None:
    with database.read() as session:
        assert not any_token(session)
    forever, short = made(database), made(database, "short", days=1)
    with database.read() as session:
        assert any_token(session)
        found = find_token(session, forever, NOW + 1e9)
        assert found is not None
        assert (found.name, found.role) == ("ci", TokenRole.SCHEDULE)
        assert find_token(session, short, NOW + 86_399) is not None
        assert find_token(session, short, NOW + 86_400) is None
        assert find_token(session, forever + "x", NOW) is None
        assert find_token(session, "", NOW) is None
    with database.transaction() as session:
        revoke_token(session, "ci", NOW + 5)
    with database.transaction() as session:
        assert revoke_token(session, "ci", NOW + 9).revoked_at == NOW + 5
    with database.read() as session:
        assert find_token(session, forever, NOW + 6) is None
        assert [one.name for one in list_tokens(session)] == ["ci", "short"]


def test_no_secret_is_kept(database: Database) -> None:
    secret = made(database)
    with database.read() as session:
        kept = session.execute(text("SELECT * FROM api_tokens")).one()
    assert secret not in str(kept)
    assert secret.removeprefix("gf_") not in str(kept)


def test_a_name_is_given_out_once_and_unknown_ones_are_told(database: Database) -> None:
    made(database)
    with pytest.raises(Refused, match="called ci"):
        made(database)
    with database.transaction() as session, pytest.raises(NotFound):
        revoke_token(session, "never", NOW)


def test_uses_are_kept_and_never_go_back(database: Database) -> None:
    made(database)
    for used in (NOW + 50, NOW + 20):
        with database.transaction() as session:
            note_uses(session, {"ci": used, "never": used})
    with database.read() as session:
        assert list_tokens(session)[0].last_used_at == NOW + 50


def pause_and_ask(database: Database, campaign_id: str) -> None:
    with database.transaction() as session:
        note_change(session, campaign_id, "ci", "pause", NOW)
        keep_request(session, campaign_id, ASKED, NOW)


def test_a_request_means_one_campaign_whoever_carries_it_out(database: Database) -> None:
    first, second = write_campaign(database), write_campaign(database)
    with database.transaction() as session:
        keep_request(session, first, ASKED, NOW)
    with pytest.raises(AskedBefore):
        pause_and_ask(database, second)
    with database.read() as session:
        assert campaign_of_request(session, ASKED) == first
        assert changes_of(session, second) == []
        assert [one.action for one in changes_of(session, first)] == ["start"]
        other = ASKED.model_copy(update={"actor": "laptop"})
        assert campaign_of_request(session, other) is None
        with pytest.raises(Refused, match="nightly-1"):
            campaign_of_request(session, ASKED.model_copy(update={"digest": "sha256:other"}))


def test_a_request_without_a_key_is_never_taken_for_another(database: Database) -> None:
    keyless = ASKED.model_copy(update={"key": None})
    for campaign_id in (write_campaign(database), write_campaign(database)):
        with database.transaction() as session:
            keep_request(session, campaign_id, keyless, NOW)
    with database.read() as session:
        assert campaign_of_request(session, keyless) is None
