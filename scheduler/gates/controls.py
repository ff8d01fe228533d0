"""How controls must end, worked out from the checks of a task alone. Pure.

| control | fails every check | as |
| --- | --- | --- |
| `exit`, `forged-pass`, `every-answer` | that expects an answer | wrong, protocol |
| `echo` | that expects another answer than its input | wrong, protocol |
| `visible-examples` | that asks something new | wrong, protocol |
| `sleep` | of all | timeout |

Tests of a native suite may end as they like, since a control program is nothing that they ask: what
passes on the starter passes beside it too. That no control passes as a whole is left of it.

A check that expects no answer at all may be passed by programs that print nothing, and an
example's input may be asked again in another form; all else that is shown, and ends with 0, must
pass under `visible-examples`, which proves that the control program does what it is told.
"""

import json
from collections.abc import Sequence

from models.schemas.check import Check, CheckRecord, Visibility
from models.schemas.gate import Control, ControlExpectation
from models.schemas.task import TaskManifest
from models.verdicts import CheckOutcome

ANSWERED_WRONGLY = frozenset({CheckOutcome.WRONG, CheckOutcome.PROTOCOL})
FAILED_SOMEHOW = frozenset(CheckOutcome) - {CheckOutcome.PASSED}
OUTCOMES = dict.fromkeys(Control, ANSWERED_WRONGLY) | {
    Control.SLEEP: frozenset({CheckOutcome.TIMEOUT})
}


def control_expectations(
    manifest: TaskManifest, checks: Sequence[CheckRecord]
) -> tuple[ControlExpectation, ...]:
    """What every control owes, for `checks` (all of the plan, in its order)."""
    return tuple(_expected(control, manifest, checks) for control in Control)


def expects_an_answer(check: CheckRecord) -> bool:
    """Whether a program that prints nothing, and exits with 0, must fail the check."""
    if not isinstance(check, Check):
        return False
    return check.expect.exit != 0 or check.expect.stdout not in ("", [])


def _expected(
    control: Control, manifest: TaskManifest, checks: Sequence[CheckRecord]
) -> ControlExpectation:
    shown = _shown(manifest, checks) if control is Control.VISIBLE_EXAMPLES else {}
    required = [check for check in checks if _must_fail(control, check, shown)]
    passing = set(shown.values())
    permitted = (check.id for check in checks if check not in required)
    outcomes = FAILED_SOMEHOW if manifest.uses_suite else OUTCOMES[control]
    return ControlExpectation(
        control=control,
        required=tuple(check.id for check in required),
        permitted=tuple(check_id for check_id in permitted if check_id not in passing),
        outcomes=tuple(sorted(outcomes)),
        must_build=not manifest.uses_suite,
    )


def _must_fail(control: Control, check: CheckRecord, shown: dict[str, str]) -> bool:
    if not isinstance(check, Check):
        return False
    if control is Control.SLEEP:
        return True
    if control is Control.ECHO and _answers_itself(check):
        return False
    return expects_an_answer(check) and check.input.stdin not in shown


def _answers_itself(check: Check) -> bool:
    """Whether the right answer is the input as it stands: nothing to sort, nothing to trim."""
    stdin, expected = check.input.stdin, check.expect.stdout
    if check.expect.exit != 0 or check.compare.kind == "text":
        return check.expect.exit == 0 and stdin == expected
    try:
        texts = stdin.removesuffix("\n").split("\n") if stdin else []
        lines = [json.loads(line) for line in texts]
        return (lines if check.compare.kind == "json-lines" else json.loads(stdin)) == expected
    except ValueError:
        return False


def _shown(manifest: TaskManifest, checks: Sequence[CheckRecord]) -> dict[str, str]:
    """The input of every visible check, with the first check that has it: its answer is given.

    Not of those that expect another exit status than the control programs have.
    """
    visible = set(manifest.ids_of(Visibility.VISIBLE))
    found: dict[str, str] = {}
    for check in checks:
        if isinstance(check, Check) and check.id in visible and check.expect.exit == 0:
            found.setdefault(check.input.stdin, check.id)
    return found
