"""What somebody may do to a record, each with the reason why it is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from models.canonical import canonical_bytes
from models.records.event_chain import BEGIN, joined, line_digest, split_lines
from models.records.record_files import RecordFiles, seals_bytes
from models.records.refusal import Reason
from models.records.signing_keys import KeyRole, SigningKey
from models.schemas.trust import TrustPolicy
from models.verdicts import Verdict
from tests.fakes.record_forge import (
    Farm,
    FarmLog,
    Keys,
    drafted,
    entered,
    sealed,
    trusted,
)

Handed = tuple[list[RecordFiles], TrustPolicy]
Attack = Callable[[Farm], Handed]


def _given(farm: Farm, **changes: Any) -> Handed:
    return [replace(farm.files, **changes)], farm.trust


def relinked(lines: list[bytes]) -> list[bytes]:
    """The lines as a chain that holds again."""
    before, found = BEGIN, list[bytes]()
    for seq, line in enumerate(lines):
        event = json.loads(line) | {"seq": seq, "prev": before}
        found.append(canonical_bytes(event))
        before = line_digest(found[-1])
    return found


def edit_one_byte(farm: Farm) -> Handed:
    return _given(farm, events=farm.files.events.replace(b'"exit":0', b'"exit":1'))


def drop_the_last_line_end(farm: Farm) -> Handed:
    return _given(farm, events=farm.files.events[:-1])


def delete_an_event_and_relink(farm: Farm) -> Handed:
    lines = split_lines(farm.files.events)
    return _given(farm, events=joined(relinked(lines[:1] + lines[2:])))


def delete_an_event_and_reseal(farm: Farm) -> Handed:
    return [farm.resealed(lambda lines: lines[:4] + lines[5:])], farm.trust


def swap_two_events(farm: Farm) -> Handed:
    lines = split_lines(farm.files.events)
    lines[4], lines[5] = lines[5], lines[4]
    return _given(farm, events=joined(lines))


def cut_the_tail(farm: Farm) -> Handed:
    return _given(farm, events=joined(split_lines(farm.files.events)[:-2]))


def cut_the_tail_and_reseal(farm: Farm) -> Handed:
    return [farm.resealed(lambda lines: lines[:-1])], farm.trust


def cut_the_head_and_reseal(farm: Farm) -> Handed:
    farm.draft.of_agent -= 1
    return [farm.resealed(lambda lines: relinked(lines[1:-1] + lines[-1:]))], farm.trust


def reseal_as_a_stranger(farm: Farm) -> Handed:
    return [entered(farm.draft, Keys(), farm.log)], farm.trust


def reseal_in_the_names_of_trusted_keys(farm: Farm) -> Handed:
    recorder, grader, _ = sealed(farm.draft, Keys())
    named = [
        replace(one, signatures=((key.id, one.signatures[0][1]),))
        for one, key in ((recorder, farm.keys.recorder), (grader, farm.keys.grader))
    ]
    return _given(farm, seals=seals_bytes(named[0], named[1]))


def steal_the_recorders_key(farm: Farm) -> Handed:
    stolen = SigningKey(KeyRole.GRADER, farm.keys.recorder.private)
    return [entered(farm.draft, Keys(farm.keys.recorder, stolen), farm.log)], farm.trust


def steal_both_keys_keep_the_proof(farm: Farm) -> Handed:
    raised = entered(drafted(outcomes=("passed", "passed")), farm.keys, FarmLog())
    return [replace(raised, closed=farm.files.closed, opened=farm.files.opened)], farm.trust


def steal_both_keys_and_raise_the_score(farm: Farm) -> Handed:
    raised = replace(farm.draft, verdict=Verdict.PASSED)
    return [entered(raised, farm.keys, farm.log)], farm.trust


def steal_both_keys_and_call_a_check_passed(farm: Farm) -> Handed:
    def forged(lines: list[bytes]) -> list[bytes]:
        return relinked(
            [line.replace(b'"outcome":"wrong"', b'"outcome":"passed"') for line in lines]
        )

    farm.draft.verdict = Verdict.PASSED
    return [farm.resealed(forged)], farm.trust


def hand_in_twice(farm: Farm) -> Handed:
    return [farm.files, farm.files], farm.trust


def show_one_run_under_the_proof_of_another(farm: Farm) -> Handed:
    other = entered(drafted("n2", "8"), farm.keys, farm.log)
    return _given(farm, closed=other.closed, opened=other.opened)


def show_the_opening_of_another_run(farm: Farm) -> Handed:
    opened = farm.log.proof(farm.log.enter("{}")).as_text().encode()
    closed = farm.log.proof(len(farm.log.leaves) - 2).as_text().encode()
    return _given(farm, closed=closed, opened=opened)


def make_the_run_up_afterwards(farm: Farm) -> Handed:
    return [entered(drafted("n2"), farm.keys, farm.log, open_first=False)], farm.trust


def use_a_retired_key(farm: Farm) -> Handed:
    end = len(farm.log.leaves)
    files = entered(drafted("n2"), farm.keys, farm.log)
    keys = tuple(
        one.model_copy(update={"until": end}) if one.role == "grader" else one
        for one in farm.trust.keys
    )
    return [files], farm.trust.model_copy(update={"keys": keys})


def close_after_the_recorders_key_was_revoked(farm: Farm) -> Handed:
    closed_at = len(farm.log.leaves) - 1
    revoked = trusted(farm.keys.recorder, until=closed_at, revoked=True)
    others = tuple(one for one in farm.trust.keys if one.role != "recorder")
    return [farm.files], farm.trust.model_copy(update={"keys": (*others, revoked)})


def change_the_payload_type(farm: Farm) -> Handed:
    return _given(farm, seals=farm.files.seals.replace(b"in-toto+json", b"in-toto.x+json"))


def strip_the_signatures(farm: Farm) -> Handed:
    value = json.loads(farm.files.seals)
    value["grader"]["signatures"] = []
    return _given(farm, seals=canonical_bytes(value))


def strip_a_whole_seal(farm: Farm) -> Handed:
    value = json.loads(farm.files.seals)
    return _given(farm, seals=canonical_bytes({"recorder": value["recorder"]}))


def _with_line(farm: Farm, old: bytes, new: bytes) -> Handed:
    """One line's bytes otherwise, in a chain that holds, signed and logged by everybody."""

    def changed(lines: list[bytes]) -> list[bytes]:
        found, before = list[bytes](), BEGIN
        for seq, line in enumerate(lines):
            prev = json.loads(line)["prev"].encode()
            found.append(line.replace(prev, before.encode()))
            if seq == 1:
                assert old in found[-1]
                found[-1] = found[-1].replace(old, new)
            before = line_digest(found[-1])
        return found

    return [farm.resealed(changed)], farm.trust


def sign_a_key_twice(farm: Farm) -> Handed:
    return _with_line(farm, b'"exit":0', b'"exit":0,"exit":0')


def sign_white_space(farm: Farm) -> Handed:
    return _with_line(farm, b'"exit":0', b'"exit": 0')


def sign_nan(farm: Farm) -> Handed:
    return _with_line(farm, b'"exit":0', b'"exit":NaN')


def sign_a_number_that_is_not_exact(farm: Farm) -> Handed:
    return _with_line(farm, b'"exit":0', b'"exit":1152921504606846976')


def sign_a_lone_surrogate(farm: Farm) -> Handed:
    return _with_line(farm, b'"make test"', b'"\\ud800"')


def sign_what_is_no_event(farm: Farm) -> Handed:
    return _with_line(farm, b'"cause":null', b'"cause":"1"')


def cut_the_proof(farm: Farm) -> Handed:
    head, _, note = farm.files.closed.partition(b"\n\n")
    return _given(farm, closed=head.rpartition(b"\n")[0] + b"\n\n" + note)


def garble_the_proof(farm: Farm) -> Handed:
    return _given(farm, closed=farm.files.closed.replace(b"index ", b"index  "))


def show_a_strangers_checkpoint(farm: Farm) -> Handed:
    stranger = FarmLog(leaves=["{}", "{}"])
    return [entered(farm.draft, farm.keys, stranger)], farm.trust


def show_another_log(farm: Farm) -> Handed:
    other = FarmLog(key=farm.log.key, origin="gradefarm.test/other")
    return [entered(farm.draft, farm.keys, other)], farm.trust


def use_other_rules(farm: Farm) -> Handed:
    rules = farm.draft.rules.model_copy(update={"version": 99})
    return [entered(replace(farm.draft, rules=rules), farm.keys, farm.log)], farm.trust


def alter_a_blob(farm: Farm) -> Handed:
    return _given(farm, blobs=dict.fromkeys(farm.files.blobs, b"41 passed"))


def add_a_blob(farm: Farm) -> Handed:
    return _given(farm, blobs={"0" * 64: b"x"})


def graft_another_agent_stage(farm: Farm) -> Handed:
    other, _, _ = sealed(drafted("n2"), farm.keys)
    _, grader = farm.files.envelopes
    return _given(farm, seals=seals_bytes(other, grader))


def let_the_grader_write_the_agents_part(farm: Farm) -> Handed:
    farm.draft.of_agent += 1
    return [entered(farm.draft, farm.keys, farm.log)], farm.trust


ATTACKS: dict[Attack, Reason] = {
    edit_one_byte: Reason.EVENTS_DIGEST,
    drop_the_last_line_end: Reason.EVENTS_DIGEST,
    delete_an_event_and_relink: Reason.EVENTS_DIGEST,
    delete_an_event_and_reseal: Reason.BROKEN_CHAIN,
    swap_two_events: Reason.EVENTS_DIGEST,
    cut_the_tail: Reason.EVENTS_DIGEST,
    cut_the_tail_and_reseal: Reason.NO_CLOSE,
    cut_the_head_and_reseal: Reason.NO_OPEN,
    reseal_as_a_stranger: Reason.ROLE_MISSING,
    reseal_in_the_names_of_trusted_keys: Reason.BAD_SIGNATURE,
    steal_the_recorders_key: Reason.ROLE_MISSING,
    steal_both_keys_keep_the_proof: Reason.NOT_IN_LOG,
    steal_both_keys_and_raise_the_score: Reason.VERDICT,
    steal_both_keys_and_call_a_check_passed: Reason.CHECK_OUTCOME,
    hand_in_twice: Reason.SEEN_TWICE,
    show_one_run_under_the_proof_of_another: Reason.NOT_IN_LOG,
    show_the_opening_of_another_run: Reason.OPEN_NOT_IN_LOG,
    make_the_run_up_afterwards: Reason.OPENED_TOO_LATE,
    use_a_retired_key: Reason.KEY_WINDOW,
    close_after_the_recorders_key_was_revoked: Reason.KEY_REVOKED,
    change_the_payload_type: Reason.PAYLOAD_TYPE,
    strip_the_signatures: Reason.ROLE_MISSING,
    strip_a_whole_seal: Reason.ROLE_MISSING,
    sign_a_key_twice: Reason.NOT_CANONICAL,
    sign_white_space: Reason.NOT_CANONICAL,
    sign_nan: Reason.NOT_CANONICAL,
    sign_a_number_that_is_not_exact: Reason.NOT_CANONICAL,
    sign_a_lone_surrogate: Reason.NOT_CANONICAL,
    sign_what_is_no_event: Reason.NOT_AN_EVENT,
    cut_the_proof: Reason.NOT_IN_LOG,
    garble_the_proof: Reason.BAD_PROOF,
    show_a_strangers_checkpoint: Reason.CHECKPOINT,
    show_another_log: Reason.CHECKPOINT,
    use_other_rules: Reason.RULES,
    alter_a_blob: Reason.BLOB_ALTERED,
    add_a_blob: Reason.BLOB_ALTERED,
    graft_another_agent_stage: Reason.STATEMENT,
    let_the_grader_write_the_agents_part: Reason.STATEMENT,
}
"""Every attack of the research that can be made on one record, and some more."""
