"""A run and its attempt, as exports meet them."""

from models.schemas.run import RunState, Stage
from models.schemas.run_view import AttemptView, RunView
from models.verdicts import AttemptEnding, StopReason, Verdict

A_RUN = RunView(
    id=42,
    campaign_id="demo-1",
    system="chat-m",
    system_id="cac28498b225f0c1",
    agent="chat",
    task="circuit-breaker",
    language="go",
    universe="340421e8692f",
    repeat=1,
    state=RunState.GRADED,
    token=3,
    worker="agent@host",
    snapshot=None,
    stop_reason=StopReason.WALL_BUDGET,
    changed=True,
    verdict=Verdict.FAILED,
    undelivered=False,
    void_category=None,
    report=None,
    ended_at=1_772_359_260.0,
)
AN_ATTEMPT = AttemptView(
    id=7,
    run_id=42,
    stage=Stage.AGENT,
    number=1,
    token=2,
    worker="agent@host",
    ending=AttemptEnding.OK,
    started_at=1_772_359_200.0,
    ended_at=1_772_359_230.0,
    category=None,
    detail="",
    stop_reason=StopReason.WALL_BUDGET,
    snapshot=None,
    transcript=None,
    wall_s=30.0,
    cpu_s=1.0,
    peak_memory_bytes=None,
    cost_microusd=1500,
    tokens=107,
    toolchain="",
    isolation="",
)
