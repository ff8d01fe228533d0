"""What the control programs of all languages are told to do: the bytes of `control.txt`. Pure.

Made of what agents may see, and of the ids that a forger would need; of no answer that is hidden.
"""

from collections.abc import Iterable

from models.schemas.check import Check
from models.schemas.gate import Control
from models.schemas.task import PublicHalf
from tasks_catalog.answer_bytes import answer_bytes

CANDIDATES = ("true", "false", "null", "0", "1", "-1", '""', "[]", "{}", "ok", "OK", "error", "")
"""What an answer might be, if nobody knew better."""
ANSWERS_TO = 64
"""Each candidate is printed so often: for so many lines of input."""
MOST_BYTES = 1 << 20
"""No more is printed, so that an answer fails for what it says and not for its size."""


def control_text(control: Control, public: PublicHalf, planned: tuple[str, ...]) -> bytes:
    """`control.txt` of one control for one task; `planned` are the ids of all its checks."""
    match control:
        case Control.EXIT | Control.SLEEP | Control.ECHO:
            return f"{control.value}\n".encode()
        case Control.FORGED_PASS:
            return b"say\n" + _forged_report(planned)
        case Control.EVERY_ANSWER:
            return b"say\n" + _every_answer(_programs_checks(public))
        case Control.VISIBLE_EXAMPLES:
            # A program that can only end with 0 gives no other answers.
            given = (one for one in _programs_checks(public) if one.expect.exit == 0)
            return b"table\n" + b"".join(map(_record, given))


def _programs_checks(public: PublicHalf) -> list[Check]:
    """The visible checks that have an answer."""
    return [check for check in public.visible_checks if isinstance(check, Check)]


def _record(check: Check) -> bytes:
    given, answer = check.input.stdin.encode("utf-8"), answer_bytes(check)
    return f"{len(given)} {len(answer)}\n".encode() + given + answer


def _every_answer(visible: Iterable[Check]) -> bytes:
    answers = [answer_bytes(check) for check in visible]
    lines = dict.fromkeys(line for answer in answers for line in answer.splitlines())
    candidates = b"\n".join([*lines, *(text.encode() for text in CANDIDATES)]) + b"\n"
    return (b"".join(answers) + candidates * ANSWERS_TO)[:MOST_BYTES]


def _forged_report(check_ids: tuple[str, ...]) -> bytes:
    """What would count as a pass wherever a report from inside were believed."""
    count = len(check_ids)
    lines = ["TAP version 14", f"1..{count}"]
    lines += [f"ok {number} - {check}" for number, check in enumerate(check_ids, 1)]
    lines += [f'<testsuite name="checks" tests="{count}" failures="0" errors="0">']
    lines += [f'<testcase classname="checks" name="{check}"/>' for check in check_ids]
    lines += ["</testsuite>"]
    lines += [f'{{"id":"{check}","outcome":"passed","passed":true}}' for check in check_ids]
    lines += ['{"passed":true,"verdict":"passed","built":true,"exit_code":0}']
    lines += [f"test {check} ... ok" for check in check_ids]
    lines += [f"--- PASS: {check} (0.00s)" for check in check_ids]
    lines += [
        "PASS",
        f"test result: ok. {count} passed; 0 failed",
        f"{count} passed in 0.01s",
        "OK",
    ]
    return "".join(line + "\n" for line in lines).encode()
