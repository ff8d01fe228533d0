"""Code of another version takes no work in a farm; what it holds is finished, or taken back."""

import pytest

from models.migrations.moving_on import BEFORE_PROTOCOLS
from models.migrations.upgrade import known_revisions
from models.protocol import OLDEST_FINISHER, PROTOCOL
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.storage.elections import take_office
from models.storage.farm_protocol import (
    OtherProtocol,
    farm_protocol,
    refuse_other_protocol,
    set_farm_protocol,
)
from models.storage.leases import claim, finish_agent
from models.storage.runs import find_run, list_runs
from models.storage.transaction import Database
from tests.fakes.campaigns import NOW, TERMS, agent_result, write_campaign


def test_who_speaks_another_protocol_claims_nothing_and_finishes_what_it_holds(
    database: Database,
) -> None:
    write_campaign(database)
    with database.read() as session:
        first, second = (run.id for run in list_runs(session, RunFilter())[:2])
    with database.transaction() as session:
        order = claim(session, first, Stage.AGENT, "worker-1", NOW, TERMS)
        assert order is not None
        set_farm_protocol(session, PROTOCOL + 1)
        assert claim(session, second, Stage.AGENT, "worker-1", NOW, TERMS) is None
        finish_agent(session, order, agent_result(), NOW + 1)
    with database.read() as session:
        assert find_run(session, first).state is RunState.FROZEN
        assert find_run(session, second).state is RunState.PLANNED


def test_a_scheduler_of_another_protocol_is_not_let_into_office(database: Database) -> None:
    with database.transaction() as session:
        assert farm_protocol(session) is None
        epoch = take_office(session, "one", NOW)
        assert epoch is not None
        assert farm_protocol(session) == PROTOCOL
        set_farm_protocol(session, PROTOCOL + 1)
        assert take_office(session, "one", NOW + 1) is None
        set_farm_protocol(session)
        assert take_office(session, "one", NOW + 2) == epoch


@pytest.mark.parametrize(("theirs", "remedy"), [(-1, "db upgrade"), (1, "Install the version")])
def test_the_refusal_says_which_of_the_two_is_behind(theirs: int, remedy: str) -> None:
    refuse_other_protocol(None)
    refuse_other_protocol(PROTOCOL)
    with pytest.raises(OtherProtocol, match=remedy):
        refuse_other_protocol(PROTOCOL + theirs)


def test_the_numbers_fit_together() -> None:
    assert OLDEST_FINISHER <= PROTOCOL
    assert BEFORE_PROTOCOLS in known_revisions()
