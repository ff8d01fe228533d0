"""What can't be replayed exactly is refused before anything runs."""

from pathlib import Path

import pytest

from models.errors import InvalidInput
from models.interchange.mini_swe_agent import read_mini_swe_agent
from models.schemas.transcript import Transcript, TranscriptStep
from models.storage.artifacts import FolderArtifacts
from models.verdicts import StopReason
from scheduler.farm_access.replay_need import refuse_inexact_replays
from tests.fakes.campaigns import campaign_spec
from tests.unit.models.test_interchange_reading import golden

COMMAND = TranscriptStep(number=1, at=0.0, kind="command", text="ls", exit_code=0)


def transcript(agent: str, *steps: TranscriptStep) -> bytes:
    told = Transcript(
        run_id=1,
        attempt_number=1,
        system="x",
        agent=agent,
        task="circuit-breaker",
        language="python",
        repeat=1,
        steps=steps,
        stop_reason=StopReason.DONE,
    )
    return told.model_dump_json().encode()


def test_every_recording_that_nobody_saw_whole_is_refused_with_its_reason(tmp_path: Path) -> None:
    store = FolderArtifacts(tmp_path / "artifacts")
    claim = COMMAND.model_copy(update={"data": {"told_by": "agent"}})
    imported = read_mini_swe_agent([golden("mini-swe-agent.traj.json")])
    kept = {
        "chat": store.put(transcript("chat", COMMAND)),
        "preset": store.put(transcript("preset", COMMAND)),
        "replayed preset": store.put(transcript("replay", COMMAND, claim)),
        "imported": store.put(imported.model_dump_json().encode()),
        "other": store.put(b"{}"),
        "absent": "sha256:" + "0" * 64,
    }
    replay = {"name": "again", "agent": "replay", "settings": {"recordings": [*kept.values()]}}
    idle = {"name": "idle", "agent": "idle"}
    with pytest.raises(InvalidInput) as caught:
        refuse_inexact_replays(lambda: store, campaign_spec(systems=[idle, replay]))
    told = {fault.problem[:19]: fault for fault in caught.value.faults}
    assert {fault.field for fault in told.values()} == {"systems[1].settings.recordings"}
    names = {name: told.get(digest[:19]) for name, digest in kept.items()}
    reasons = {
        "preset": "is of the agent preset",
        "replayed preset": "is of the agent replay",
        "imported": "was imported",
        "other": "is no transcript",
        "absent": "is not among the farm's artifacts",
    }
    assert names.pop("chat") is None
    for name, fault in names.items():
        assert fault is not None, name
        assert reasons[name] in fault.problem


def test_of_a_folder_of_the_workers_only_what_is_here_is_looked_at(tmp_path: Path) -> None:
    preset = transcript("preset", COMMAND)
    digest = FolderArtifacts(tmp_path / "artifacts").put(preset)
    settings = {"recordings": [digest], "folder": str(tmp_path / "elsewhere")}
    spec = campaign_spec(systems=[{"name": "again", "agent": "replay", "settings": settings}])
    store = FolderArtifacts(tmp_path / "none")
    refuse_inexact_replays(lambda: store, spec)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / digest.removeprefix("sha256:")).write_bytes(preset)
    with pytest.raises(InvalidInput, match="can't be done again exactly"):
        refuse_inexact_replays(lambda: store, spec)
