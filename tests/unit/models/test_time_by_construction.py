"""No message is given out twice while its run may last, whatever is set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InvalidInput
from models.messaging.celery_factory import VISIBILITY_S, configuration
from models.schemas.campaign import CampaignLimits
from models.schemas.language import LARGEST_LIMIT_FACTOR
from models.schemas.longest_stage import (
    BACKSTOP_S,
    LONGEST_AGENT_STAGE_S,
    LONGEST_GRADE_STAGE_S,
)
from models.settings import read_settings

URLS = st.sampled_from(["redis://b/0", "rediss://b/0", "redis+socket:///b.sock"])


@given(URLS, st.floats(min_value=1, max_value=86_400), st.floats(min_value=0.1, max_value=20))
def test_no_limit_that_is_admitted_reaches_the_time_at_which_redis_gives_a_message_out_again(
    url: str, wall_s: float, factor: float
) -> None:
    limits = CampaignLimits(agent_wall_s=wall_s)
    assert limits.agent_wall_s is not None
    assert factor <= LARGEST_LIMIT_FACTOR
    settings = configuration(url, ("python",))
    transport = settings["broker_transport_options"]
    assert isinstance(transport, dict)
    visible_again = transport["visibility_timeout"]
    assert limits.agent_wall_s * factor <= LONGEST_AGENT_STAGE_S < BACKSTOP_S
    assert LONGEST_GRADE_STAGE_S < BACKSTOP_S == settings["task_time_limit"] < visible_again
    assert visible_again == VISIBILITY_S


def test_a_message_is_acknowledged_before_its_work_begins() -> None:
    settings = configuration("redis://b/0", ("python",))
    assert settings["task_acks_late"] is False
    assert settings["worker_disable_prefetch"] is True
    assert settings["task_reject_on_worker_lost"] is False


@pytest.mark.parametrize("url", ["amqp://guest@b//", "pyamqp://b", "memory://", "sqs://"])
def test_brokers_that_would_keep_messages_from_idle_workers_are_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="must name a Redis or a Valkey"):
        read_settings({"GRADEFARM_BROKER_URL": url})
