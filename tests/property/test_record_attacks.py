"""A record is refused for the right reason, whatever was done to it; and no check is idle."""

from dataclasses import replace
from typing import Any

import pytest

from models.records import verification
from models.records.decisive_events import DEMANDED
from models.records.record_files import RecordFiles, pack_record, unpack_record
from models.records.refusal import Reason, RecordRefused
from models.records.verification import Gradings, verify_record
from models.schemas.trust import TrustPolicy
from models.verdicts import Verdict
from tests.fakes.record_forge import Farm, trusted
from tests.property.record_attacks import (
    ATTACKS,
    Attack,
    close_after_the_recorders_key_was_revoked,
    use_a_retired_key,
)


def verified(files: list[RecordFiles], trust: TrustPolicy) -> None:
    before = Gradings()
    for one in files:
        before.take(verify_record(one, trust))


def refused(attack: Attack) -> Reason | None:
    try:
        verified(*attack(Farm()))
    except RecordRefused as refusal:
        return refusal.reason
    return None


def test_an_honest_record_proves_what_it_says() -> None:
    farm = Farm()
    found = verify_record(farm.files, farm.trust)
    assert (found.run, found.verdict, found.withheld) == ("7", Verdict.FAILED, 0)
    assert (found.opened_at, found.closed_at) == (3, 4)


def test_a_blob_may_be_withheld() -> None:
    farm = Farm()
    found = verify_record(replace(farm.files, blobs={}), farm.trust)
    assert (found.blobs, found.withheld) == (0, 2)


def test_a_packed_record_is_the_same_record_and_the_same_bytes() -> None:
    farm = Farm()
    packed = pack_record(farm.files)
    assert unpack_record(packed) == farm.files
    assert pack_record(unpack_record(packed)) == packed


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_attack_is_refused_for_its_own_reason(attack: Attack) -> None:
    assert refused(attack) == ATTACKS[attack]


def test_old_records_still_verify_after_a_rotation() -> None:
    farm = Farm()
    end = len(farm.log.leaves)
    rotated = tuple(
        one.model_copy(update={"until": end}) if one.role == "recorder" else one
        for one in farm.trust.keys
    )
    verify_record(farm.files, farm.trust.model_copy(update={"keys": rotated}))
    revoked = trusted(farm.keys.grader, until=end, revoked=True)
    others = tuple(one for one in farm.trust.keys if one.role != "grader")
    verify_record(farm.files, farm.trust.model_copy(update={"keys": (*others, revoked)}))


@pytest.mark.parametrize(
    ("attack", "told"),
    [
        (use_a_retired_key, "`gradefarm keys rotate grader`), and grade the run again"),
        (close_after_the_recorders_key_was_revoked, "rotate recorder`), and run it again in a new"),
    ],
)
def test_a_key_that_was_not_good_is_refused_with_what_helps(attack: Attack, told: str) -> None:
    with pytest.raises(RecordRefused) as refusal:
        verified(*attack(Farm()))
    assert told in refusal.value.remedy


CHECKS = (
    *("signer_of", "refuse_other_events", "refuse_unended", "refuse_other_chain"),
    *("refuse_other_rules", "refuse_other_verdict", "verify_checkpoint", "refuse_unlogged"),
    *("refuse_contradictions", "refuse_unplanned", "decisive_events", "refuse_other_report"),
    *("refuse_late_opening", "refuse_keys_out_of_time", "refuse_altered", "read_chain"),
    "recomputed",
)


def _idle(name: str) -> Any:
    """The check without what it refuses."""
    real = getattr(verification, name)

    def signer(envelope: Any, keys: Any, role: str) -> Any:
        return next(key for key in keys if key.role == role)

    def checkpoint(note: str, trust: Any) -> Any:
        from models.records.signed_note import read_checkpoint

        return read_checkpoint(note)

    def chain(lines: list[bytes]) -> Any:
        import json

        from models.schemas.record_event import RecordEvent

        return [RecordEvent.model_construct(**json.loads(line)) for line in lines]

    def outcome(decisive: Any) -> Any:
        from models.run_outcome import RunOutcome

        return RunOutcome(decisive.verdict.verdict)

    def decisive(events: Any) -> Any:
        kept = [
            next(event for event in events if event.type == kind).model_copy(update={"src": source})
            for source, kinds in DEMANDED.items()
            for kind in kinds
            if kind != "check"
        ]
        checks = [
            event.model_copy(update={"src": "grader"}) for event in events if event.type == "check"
        ]
        return real([*kept[:-2], *checks, *kept[-2:]])

    idle = {
        "decisive_events": decisive,
        "signer_of": signer,
        "verify_checkpoint": checkpoint,
        "read_chain": chain,
    }
    return (idle | {"recomputed": outcome}).get(name, lambda *_: real and None)


@pytest.mark.parametrize("check", CHECKS)
def test_without_a_check_some_attack_is_not_refused_for_its_reason(
    check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, check, _idle(check))
    escapes = (refused(attack) != reason for attack, reason in ATTACKS.items())
    assert any(escapes), f"no attack needs {check}"
