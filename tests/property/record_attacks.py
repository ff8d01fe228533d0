"""What somebody may do to a record, each with the reason why it is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from models.canonical import canonical_bytes
from models.records.dsse import seal
from models.records.event_chain import BEGIN, joined, line_digest, split_lines
from models.records.record_files import RecordFiles, seals_bytes
from models.records.refusal import Reason
from models.records.signing_keys import KeyRole, SigningKey
from models.schemas.trust import TrustPolicy
from models.verdicts import Verdict
from tests.fakes.record_forge import (
    PLAN,
    PROOF,
    Farm,
    FarmLog,
    Keys,
    drafted,
    entered,
    report_of,
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
    return [farm.resealed(lambda lines: lines[:2] + lines[3:])], farm.trust


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
    return [farm.resealed(lambda lines: relinked(lines[1:]))], farm.trust


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
    raised = entered(drafted(farm.keys, outcomes=("passed", "passed")), farm.keys, FarmLog())
    return [replace(raised, closed=farm.files.closed, opened=farm.files.opened)], farm.trust


def steal_both_keys_and_raise_the_score(farm: Farm) -> Handed:
    farm.draft.verdict = Verdict.PASSED
    return _told(farm, "verdict", verdict="passed")


def steal_both_keys_and_call_a_check_passed(farm: Farm) -> Handed:
    def forged(lines: list[bytes]) -> list[bytes]:
        return relinked(
            [line.replace(b'"outcome":"wrong"', b'"outcome":"passed"') for line in lines]
        )

    farm.draft.verdict = Verdict.PASSED
    return [
        farm.resealed(lambda lines: told_otherwise(forged(lines), "verdict", verdict="passed"))
    ], farm.trust


def hand_in_twice(farm: Farm) -> Handed:
    return [farm.files, farm.files], farm.trust


def show_one_run_under_the_proof_of_another(farm: Farm) -> Handed:
    other = entered(drafted(farm.keys, "n2", "8"), farm.keys, farm.log)
    return _given(farm, closed=other.closed, opened=other.opened)


def show_the_opening_of_another_run(farm: Farm) -> Handed:
    opened = farm.log.proof(farm.log.enter("{}")).as_text().encode()
    closed = farm.log.proof(len(farm.log.leaves) - 2).as_text().encode()
    return _given(farm, closed=closed, opened=opened)


def make_the_run_up_afterwards(farm: Farm) -> Handed:
    return [entered(drafted(farm.keys, "n2"), farm.keys, farm.log, open_first=False)], farm.trust


def use_a_retired_key(farm: Farm) -> Handed:
    end = len(farm.log.leaves)
    files = entered(drafted(farm.keys, "n2"), farm.keys, farm.log)
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


def add_unsigned_text_to_a_seal(farm: Farm) -> Handed:
    value = json.loads(farm.files.seals)
    value["grader"]["comment"] = "reviewed and approved"
    return _given(farm, seals=canonical_bytes(value))


def add_unsigned_text_to_a_signature(farm: Farm) -> Handed:
    value = json.loads(farm.files.seals)
    value["recorder"]["signatures"][0]["comment"] = "reviewed and approved"
    return _given(farm, seals=canonical_bytes(value))


def sign_beside_the_grader(farm: Farm) -> Handed:
    value = json.loads(farm.files.seals)
    value["grader"]["signatures"].append({"keyid": "root-0000", "sig": ""})
    return _given(farm, seals=canonical_bytes(value))


def set_a_bit_of_a_signature_that_means_nothing(farm: Farm) -> Handed:
    value = json.loads(farm.files.seals)
    signature = value["grader"]["signatures"][0]
    signature["sig"] = with_an_unused_bit(signature["sig"])
    return _given(farm, seals=canonical_bytes(value))


def with_an_unused_bit(text: str) -> str:
    """Base64 that ends with `=`, otherwise written: it means the same to most readers."""
    letters = text.rstrip("=")
    return letters[:-1] + chr(ord(letters[-1]) + 1) + text[len(letters) :]


def set_a_bit_of_the_proof_that_means_nothing(farm: Farm) -> Handed:
    lines = farm.files.opened.decode().split("\n")
    lines[2] = with_an_unused_bit(lines[2])
    return _given(farm, opened="\n".join(lines).encode())


def write_behind_the_checkpoint(farm: Farm) -> Handed:
    behind = b"any text at all\n\n\n"
    return _given(farm, closed=farm.files.closed + behind, opened=farm.files.opened + behind)


def put_it_into_the_folder_of_another_run(farm: Farm) -> Handed:
    return _given(farm, run="999")


def write_the_run_of_the_folder_otherwise(farm: Farm) -> Handed:
    return _given(farm, run="0000000007")


def _with_line(farm: Farm, old: bytes, new: bytes) -> Handed:
    """One line's bytes otherwise, in a chain that holds, signed and logged by everybody."""

    def changed(lines: list[bytes]) -> list[bytes]:
        found, before = list[bytes](), BEGIN
        for seq, line in enumerate(lines):
            prev = json.loads(line)["prev"].encode()
            found.append(line.replace(prev, before.encode()))
            if seq == 2:
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


def sign_yes_for_the_version(farm: Farm) -> Handed:
    return _with_line(farm, b'"v":1', b'"v":true')


def sign_an_event_that_caused_itself(farm: Farm) -> Handed:
    return _with_line(farm, b'"cause":null', b'"cause":2')


def sign_an_event_caused_by_a_later_one(farm: Farm) -> Handed:
    return _with_line(farm, b'"cause":null', b'"cause":3')


def sign_an_event_caused_by_none_there_is(farm: Farm) -> Handed:
    return _with_line(farm, b'"cause":null', b'"cause":-1')


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
    other, _, _ = sealed(drafted(farm.keys, "n2"), farm.keys)
    _, grader = farm.files.envelopes
    return _given(farm, seals=seals_bytes(other, grader))


def let_the_grader_write_the_agents_part(farm: Farm) -> Handed:
    farm.draft.of_agent += 1
    return [entered(farm.draft, farm.keys, farm.log)], farm.trust


def told_otherwise(
    lines: list[bytes], kind: str, src: str | None = None, **changes: Any
) -> list[bytes]:
    """The lines with other values in the body of every event of a kind, and of a source."""
    found = list[bytes]()
    for line in lines:
        event = json.loads(line)
        if event["type"] == kind and src in (None, event["src"]):
            event["body"] |= changes
        found.append(canonical_bytes(event))
    return relinked(found)


def _told(farm: Farm, kind: str, src: str | None = None, **changes: Any) -> Handed:
    """An event that says something else, signed and logged by everybody."""
    return [farm.resealed(lambda lines: told_otherwise(lines, kind, src, **changes))], farm.trust


def _said(farm: Farm, **changes: Any) -> Handed:
    """The grader alone says something else of events that it can't change."""
    return [entered(replace(farm.draft, said=changes), farm.keys, farm.log)], farm.trust


def open_another_task(farm: Farm) -> Handed:
    return _told(farm, "run.open", task="easier")


def open_in_another_language(farm: Farm) -> Handed:
    return _told(farm, "run.open", language="rust")


def open_in_another_universe(farm: Farm) -> Handed:
    return _told(farm, "run.open", universe="sha256:" + "0" * 64)


def open_for_another_log(farm: Farm) -> Handed:
    return _told(farm, "run.open", log="gradefarm.test/other")


def open_with_another_nonce(farm: Farm) -> Handed:
    return _told(farm, "run.open", nonce="n9")


def open_in_the_name_of_another_recorder(farm: Farm) -> Handed:
    return _told(farm, "run.open", recorder={"key": "recorder-0", "worker": "w1"})


def open_under_another_lease(farm: Farm) -> Handed:
    return _told(farm, "lease", "recorder", token=2)


def grade_another_snapshot(farm: Farm) -> Handed:
    draft = replace(farm.draft, graded="sha256:" + "9" * 64)
    return [entered(draft, farm.keys, farm.log)], farm.trust


def freeze_another_snapshot(farm: Farm) -> Handed:
    draft = replace(farm.draft, kept="sha256:" + "9" * 64)
    return [entered(draft, farm.keys, farm.log)], farm.trust


def leave_another_snapshot(farm: Farm) -> Handed:
    return _told(farm, "stage.close", snapshot="sha256:" + "9" * 64)


def stop_for_another_reason(farm: Farm) -> Handed:
    return _told(farm, "stage.close", stop="done")


def grade_as_another_task(farm: Farm) -> Handed:
    return _said(farm, task="easier")


def grade_in_another_universe(farm: Farm) -> Handed:
    return _said(farm, universe="sha256:" + "0" * 64)


def grade_as_another_run_and_say_nothing(farm: Farm) -> Handed:
    return _said(farm, graded_as="4711")


def name_an_earlier_grading_that_is_none(farm: Farm) -> Handed:
    return _said(farm, earlier="a" * 64)


def regrade_in_a_universe_that_is_not_its_own(farm: Farm) -> Handed:
    return _said(farm, graded_as="9", why="again", universe="sha256:" + "0" * 64)


def judge_by_another_report(farm: Farm) -> Handed:
    return _told(farm, "verdict", report={"sha256": "0" * 64})


def show_a_report_of_other_checks(farm: Farm) -> Handed:
    report = {"checks": report_of(("passed", "passed"))["checks"], "language": "rust"}
    draft = drafted(farm.keys, "n2", report=report)
    return [entered(draft, farm.keys, farm.log)], farm.trust


def show_a_report_that_needed_no_build(farm: Farm) -> Handed:
    draft = drafted(farm.keys, "n2", report={"build": {"needed": False, "ok": True}})
    return [entered(draft, farm.keys, farm.log)], farm.trust


def _shown(farm: Farm, **report: Any) -> Handed:
    """A report that says something else, signed and logged by everybody."""
    return [entered(drafted(farm.keys, "n2", report=report), farm.keys, farm.log)], farm.trust


def show_a_report_of_another_manifest(farm: Farm) -> Handed:
    return _shown(farm, manifest_digest="sha256:" + "e" * 64)


def show_a_report_with_text_for_yes(farm: Farm) -> Handed:
    return _shown(farm, build={"needed": "yes", "ok": True})


def show_a_report_with_yes_for_its_version(farm: Farm) -> Handed:
    return _shown(farm, schema_version=True)


def tell_the_version_of_the_rules_as_text(farm: Farm) -> Handed:
    rules = farm.draft.rules
    told = {"version": str(rules.version), "digest": rules.digest}
    return _told(farm, "verdict", rules=told)


def show_a_report_that_is_none(farm: Farm) -> Handed:
    draft = drafted(farm.keys, "n2", report={"checks": []})
    return [entered(draft, farm.keys, farm.log)], farm.trust


def tell_another_verdict_than_signed(farm: Farm) -> Handed:
    return _told(farm, "verdict", verdict="passed")


def tell_other_rules_than_signed(farm: Farm) -> Handed:
    return _told(farm, "verdict", rules={"version": 1, "digest": "0" * 64})


def plan_fewer_checks(farm: Farm) -> Handed:
    farm.draft.verdict = Verdict.PASSED
    judged = {"universe": {**PROOF, "plan": PLAN[:1]}, "verdict": "passed"}

    def forged(lines: list[bytes]) -> list[bytes]:
        without = [line for line in lines if b'"c1","outcome"' not in line]
        return counted(told_otherwise(without, "verdict", **judged))

    return [farm.resealed(forged)], farm.trust


def counted(lines: list[bytes]) -> list[bytes]:
    """The lines with a run.close that counts them."""
    return told_otherwise(lines, "run.close", events=len(lines))


def _moved(farm: Farm, change: Callable[[list[bytes]], list[bytes]]) -> Handed:
    """The grader's events otherwise, in a chain that holds and counts."""
    at = farm.draft.of_agent

    def forged(lines: list[bytes]) -> list[bytes]:
        return counted(relinked(lines[:at] + change(lines[at:])))

    return [farm.resealed(forged)], farm.trust


def ask_a_check_never(farm: Farm) -> Handed:
    farm.draft.verdict = Verdict.PASSED

    def forged(lines: list[bytes]) -> list[bytes]:
        without = [line for line in lines if b'"c1","outcome"' not in line]
        return counted(told_otherwise(without, "verdict", verdict="passed"))

    return [farm.resealed(forged)], farm.trust


def ask_a_check_twice(farm: Farm) -> Handed:
    return _moved(farm, lambda lines: [*lines[:3], *lines[2:]])


def ask_in_another_order(farm: Farm) -> Handed:
    return _moved(farm, lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]])


def build_never(farm: Farm) -> Handed:
    return _moved(farm, lambda lines: [lines[0], *lines[2:]])


def build_twice(farm: Farm) -> Handed:
    return _moved(farm, lambda lines: [*lines[:2], *lines[1:]])


def judge_twice(farm: Farm) -> Handed:
    return _moved(farm, lambda lines: [*lines[:5], *lines[4:]])


def judge_before_the_checks(farm: Farm) -> Handed:
    return _moved(farm, lambda lines: [*lines[:2], lines[4], *lines[2:4], lines[5]])


def judge_never(farm: Farm) -> Handed:
    return _moved(farm, lambda lines: [*lines[:4], lines[5]])


def close_a_stage_in_the_grading(farm: Farm) -> Handed:
    stage = json.loads(farm.draft.lines[farm.draft.of_agent - 1]) | {"src": "grader"}
    return _moved(farm, lambda lines: [canonical_bytes(stage), *lines])


def judge_in_the_agent_stage(farm: Farm) -> Handed:
    """Whoever holds the recorder's key writes checks and a verdict into the agent's stage."""
    lines, at = farm.draft.lines, farm.draft.of_agent
    early = [canonical_bytes(json.loads(line) | {"src": "recorder"}) for line in lines[at + 1 : -1]]
    moved = counted(relinked([*lines[: at - 1], *early, *lines[at - 1 :]]))
    draft = replace(farm.draft, lines=moved, of_agent=at + len(early))
    return [entered(draft, farm.keys, farm.log)], farm.trust


def call_a_broken_build_good(farm: Farm) -> Handed:
    return _told(farm, "build", outcome="build_failed")


def tell_no_word_of_what_changed(farm: Farm) -> Handed:
    return _told(farm, "stage.close", changed=None)


def call_a_run_undelivered_that_was_not(farm: Farm) -> Handed:
    return _said(farm, result={"verdict": "failed", "undelivered": True})


def _signed_otherwise(farm: Farm, change: Callable[[dict[str, Any]], object]) -> Handed:
    """The grader signs another statement."""
    recorder, grader = farm.files.envelopes
    statement = json.loads(grader.payload)
    change(statement)
    forged = seal(canonical_bytes(statement), farm.keys.grader)
    return _given(farm, seals=seals_bytes(recorder, forged))


def _stage_signed_otherwise(farm: Farm, change: Callable[[dict[str, Any]], object]) -> Handed:
    """The recorder signs another statement."""
    recorder, grader = farm.files.envelopes
    statement = json.loads(recorder.payload)
    change(statement)
    forged = seal(canonical_bytes(statement), farm.keys.recorder)
    return _given(farm, seals=seals_bytes(forged, grader))


def sign_of_the_snapshot_twice(farm: Farm) -> Handed:
    return _signed_otherwise(farm, lambda said: said["subject"].append(said["subject"][1]))


def sign_text_for_a_number(farm: Farm) -> Handed:
    version = str(farm.draft.rules.version)
    return _signed_otherwise(farm, lambda said: said["predicate"]["rules"].update(version=version))


def sign_yes_for_a_number(farm: Farm) -> Handed:
    return _signed_otherwise(farm, lambda said: said["predicate"]["chain"].update(events=True))


def sign_a_statement_without_its_type(farm: Farm) -> Handed:
    return _signed_otherwise(farm, lambda said: said.pop("_type"))


def sign_a_statement_of_another_type(farm: Farm) -> Handed:
    return _signed_otherwise(farm, lambda said: said.update(_type="https://in-toto.io/Link/v1"))


def sign_a_statement_about_nothing_named(farm: Farm) -> Handed:
    return _signed_otherwise(farm, lambda said: said.pop("predicateType"))


def sign_a_statement_about_something_else(farm: Farm) -> Handed:
    return _signed_otherwise(farm, lambda said: said.update(predicateType="urn:another:v1"))


def record_a_stage_without_its_type(farm: Farm) -> Handed:
    return _stage_signed_otherwise(farm, lambda said: said.pop("_type"))


def record_a_stage_about_nothing_named(farm: Farm) -> Handed:
    return _stage_signed_otherwise(farm, lambda said: said.pop("predicateType"))


def hand_in_the_best_of_two_openings(farm: Farm) -> Handed:
    again = entered(drafted(farm.keys, "n2"), farm.keys, farm.log)
    return [farm.files, again], farm.trust


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
    add_unsigned_text_to_a_seal: Reason.BAD_SEAL,
    add_unsigned_text_to_a_signature: Reason.BAD_SEAL,
    sign_beside_the_grader: Reason.BAD_SEAL,
    set_a_bit_of_a_signature_that_means_nothing: Reason.BAD_SEAL,
    set_a_bit_of_the_proof_that_means_nothing: Reason.BAD_PROOF,
    write_behind_the_checkpoint: Reason.CHECKPOINT,
    put_it_into_the_folder_of_another_run: Reason.CONTRADICTION,
    write_the_run_of_the_folder_otherwise: Reason.CONTRADICTION,
    sign_a_key_twice: Reason.NOT_CANONICAL,
    sign_white_space: Reason.NOT_CANONICAL,
    sign_nan: Reason.NOT_CANONICAL,
    sign_a_number_that_is_not_exact: Reason.NOT_CANONICAL,
    sign_a_lone_surrogate: Reason.NOT_CANONICAL,
    sign_what_is_no_event: Reason.NOT_AN_EVENT,
    sign_yes_for_the_version: Reason.NOT_AN_EVENT,
    sign_an_event_that_caused_itself: Reason.NOT_AN_EVENT,
    sign_an_event_caused_by_a_later_one: Reason.NOT_AN_EVENT,
    sign_an_event_caused_by_none_there_is: Reason.NOT_AN_EVENT,
    cut_the_proof: Reason.NOT_IN_LOG,
    garble_the_proof: Reason.BAD_PROOF,
    show_a_strangers_checkpoint: Reason.CHECKPOINT,
    show_another_log: Reason.CHECKPOINT,
    use_other_rules: Reason.RULES,
    alter_a_blob: Reason.BLOB_ALTERED,
    add_a_blob: Reason.BLOB_ALTERED,
    graft_another_agent_stage: Reason.STATEMENT,
    let_the_grader_write_the_agents_part: Reason.STATEMENT,
    open_another_task: Reason.CONTRADICTION,
    open_in_another_language: Reason.CONTRADICTION,
    open_in_another_universe: Reason.CONTRADICTION,
    open_for_another_log: Reason.CONTRADICTION,
    open_with_another_nonce: Reason.CONTRADICTION,
    open_in_the_name_of_another_recorder: Reason.CONTRADICTION,
    open_under_another_lease: Reason.CONTRADICTION,
    grade_another_snapshot: Reason.CONTRADICTION,
    freeze_another_snapshot: Reason.CONTRADICTION,
    leave_another_snapshot: Reason.CONTRADICTION,
    stop_for_another_reason: Reason.CONTRADICTION,
    grade_as_another_task: Reason.CONTRADICTION,
    grade_in_another_universe: Reason.CONTRADICTION,
    grade_as_another_run_and_say_nothing: Reason.CONTRADICTION,
    name_an_earlier_grading_that_is_none: Reason.CONTRADICTION,
    judge_by_another_report: Reason.CONTRADICTION,
    show_a_report_of_other_checks: Reason.CONTRADICTION,
    show_a_report_that_needed_no_build: Reason.CONTRADICTION,
    tell_the_version_of_the_rules_as_text: Reason.NOT_AN_EVENT,
    show_a_report_that_is_none: Reason.CONTRADICTION,
    show_a_report_of_another_manifest: Reason.CONTRADICTION,
    show_a_report_with_text_for_yes: Reason.CONTRADICTION,
    show_a_report_with_yes_for_its_version: Reason.CONTRADICTION,
    tell_another_verdict_than_signed: Reason.CONTRADICTION,
    tell_other_rules_than_signed: Reason.CONTRADICTION,
    call_a_run_undelivered_that_was_not: Reason.CONTRADICTION,
    regrade_in_a_universe_that_is_not_its_own: Reason.UNIVERSE,
    plan_fewer_checks: Reason.UNIVERSE,
    ask_a_check_never: Reason.PLAN,
    ask_a_check_twice: Reason.PLAN,
    ask_in_another_order: Reason.PLAN,
    build_never: Reason.EVENT_ORDER,
    build_twice: Reason.EVENT_ORDER,
    judge_twice: Reason.EVENT_ORDER,
    judge_before_the_checks: Reason.EVENT_ORDER,
    judge_never: Reason.EVENT_ORDER,
    close_a_stage_in_the_grading: Reason.EVENT_ORDER,
    judge_in_the_agent_stage: Reason.EVENT_ORDER,
    call_a_broken_build_good: Reason.CHECK_OUTCOME,
    tell_no_word_of_what_changed: Reason.NOT_AN_EVENT,
    sign_of_the_snapshot_twice: Reason.STATEMENT,
    sign_text_for_a_number: Reason.STATEMENT,
    sign_yes_for_a_number: Reason.STATEMENT,
    sign_a_statement_without_its_type: Reason.STATEMENT,
    sign_a_statement_of_another_type: Reason.STATEMENT,
    sign_a_statement_about_nothing_named: Reason.STATEMENT,
    sign_a_statement_about_something_else: Reason.STATEMENT,
    record_a_stage_without_its_type: Reason.STATEMENT,
    record_a_stage_about_nothing_named: Reason.STATEMENT,
    hand_in_the_best_of_two_openings: Reason.SEEN_TWICE,
}
"""Every attack of the research that can be made on one record, and some more."""
