"""Whatever a language model writes is read, and an exchange of lines can be taken back."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workers.agents.chat.replies import CalledTool
from workers.agents.chat.text_grammar import read_action, read_files
from workers.agents.chat.tool_grammar import read_call
from workers.agents.line_hunks import exchange_lines

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
LINES = st.lists(st.text(alphabet="abc \t", max_size=4), min_size=1, max_size=8)


@PATIENT
@given(LINES, LINES, st.integers(0, 7))
def test_an_exchange_can_be_taken_back(lines: list[str], new: list[str], at: int) -> None:
    marked = [*lines[:at], "-mark-", *lines[at:]]
    text = "\n".join(marked) + "\n"
    put = "\n".join([*new, "+mark+"])
    changed = exchange_lines(text, (("-mark-", put),))
    assert isinstance(changed, str)
    assert exchange_lines(changed, ((put, "-mark-"),)) == text


@PATIENT
@given(st.text(max_size=200))
def test_no_reply_makes_the_reading_fail(text: str) -> None:
    for said in (text, f"```edit a\n{text}\n```", f"```write {text}\n```", f"```shell\n{text}"):
        read_action(said)
        read_files(said)
    read_call((CalledTool("1", "shell", text),))
