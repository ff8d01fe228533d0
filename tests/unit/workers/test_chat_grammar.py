"""Actions are read from replies exactly, or a sentence says why they can't be."""

import pytest

from workers.agents.chat.actions import (
    Action,
    DoneAction,
    EditAction,
    Malformed,
    ShellAction,
    WriteAction,
)
from workers.agents.chat.replies import CalledTool
from workers.agents.chat.text_grammar import read_action, read_files
from workers.agents.chat.tool_grammar import TOOLS, read_call
from workers.agents.line_hunks import HunkMisfit, exchange_lines

EDIT = """First I look.
```edit src/a.py
<<<<<<< SEARCH
a = 1
=======
a = 2

<<<<<<< not a mark
>>>>>>> REPLACE

<<<<<<< SEARCH
gone
=======
>>>>>>> REPLACE
```
"""


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("```shell\nls -l\n\n```", ShellAction("ls -l")),
        ("I think.\n\n```python\nx = 1\n```\n```shell\nmake\n```\nSo.", ShellAction("make")),
        ("```c++\nint a;\n```\n```done\n```", DoneAction()),
        ("```write a/b.txt\none\n\ntwo  \n```", WriteAction("a/b.txt", "one\n\ntwo  \n")),
        ("````write a.md\n```shell\nls\n```\n````", WriteAction("a.md", "```shell\nls\n```\n")),
        ("```write with space.txt\n```", WriteAction("with space.txt", "")),
        ("```write a.txt\n\x0cx\u2028y\r\n```", WriteAction("a.txt", "\x0cx\u2028y\r\n")),
        (
            EDIT,
            EditAction("src/a.py", (("a = 1", "a = 2\n\n<<<<<<< not a mark"), ("gone", ""))),
        ),
        ("```done\n```", DoneAction()),
    ],
)
def test_a_block_is_an_action(text: str, action: Action) -> None:
    assert read_action(text) == action


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I would run ls.", "no action"),
        ("```bash\nls\n```", "no action"),
        ("```shell\nls\n```\n```done\n```", "2 actions"),
        ("```shell\nls", "not closed"),
        ("````shell\nls\n```", "not closed"),
        ("```shell\n\n```", "empty"),
        ("```write\nx\n```", "names no file"),
        ("```write /etc/passwd\nx\n```", "inside the working folder"),
        ("```write ../x\nx\n```", "inside the working folder"),
        ("```write x/\nx\n```", "not the path of a file"),
        ("```edit a.py\nx = 1\n```", "not made of"),
        ("```edit a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n```", "not made of"),
        ("```edit a.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n```", "looks for no line"),
        ("```edit a.py\n```", "empty"),
    ],
)
def test_what_is_no_action_is_told_in_a_sentence(text: str, told: str) -> None:
    found = read_action(text)
    assert isinstance(found, Malformed)
    assert told in found.why


def test_one_reply_may_hold_a_whole_answer() -> None:
    text = "```write a\n1\n```\nand\n```write b\n2\n```\n```done\n```"
    assert read_files(text) == (WriteAction("a", "1\n"), WriteAction("b", "2\n"))
    for wrong in ("```write a\n```\n```write a\n```", "```done\n```", "```shell\nls\n```", "so"):
        assert isinstance(read_files(wrong), Malformed)


@pytest.mark.parametrize(
    ("name", "arguments", "action"),
    [
        ("shell", '{"command": "ls"}', ShellAction("ls")),
        ("write_file", '{"path": "a", "content": "x"}', WriteAction("a", "x")),
        (
            "edit_file",
            '{"path": "a", "search": "x\\n", "replace": "y\\nz\\n"}',
            EditAction("a", (("x", "y\nz"),)),
        ),
        ("done", "", DoneAction()),
        ("done", "{}", DoneAction()),
    ],
)
def test_a_call_is_an_action(name: str, arguments: str, action: Action) -> None:
    assert read_call((CalledTool("1", name, arguments),)) == action


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ((), "no tool"),
        ((CalledTool("1", "done", ""), CalledTool("2", "done", "")), "2 tools"),
        ((CalledTool("1", "rm", "{}"),), "no tool 'rm'"),
        ((CalledTool("1", "shell", '{"command": "l'),), "not JSON"),
        ((CalledTool("1", "shell", "[]"),), "not an object"),
        ((CalledTool("1", "shell", '{"command": 5}'),), "see command"),
        ((CalledTool("1", "done", '{"why": "x"}'),), "see why"),
        ((CalledTool("1", "shell", '{"command": " "}'),), "empty"),
        ((CalledTool("1", "write_file", '{"path": "/x", "content": ""}'),), "inside"),
        ((CalledTool("1", "edit_file", '{"path": "x", "search": "", "replace": ""}'),), "empty"),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence(calls: tuple[CalledTool, ...], told: str) -> None:
    found = read_call(calls)
    assert isinstance(found, Malformed)
    assert told in found.why


def test_every_tool_is_read() -> None:
    for name, (_, arguments) in TOOLS.items():
        given_ = ", ".join(f'"{one}": "a"' for one in arguments)
        assert not isinstance(read_call((CalledTool("1", name, f"{{{given_}}}"),)), Malformed)


@pytest.mark.parametrize(
    ("text", "old", "new", "result"),
    [
        ("a\nb\nc\n", "b", "B\nB2", "a\nB\nB2\nc\n"),
        ("a\nb\nc\n", "b\nc", "x", "a\nx\n"),
        ("a\nb", "b", "c", "a\nc"),
        ("a\nb\n", "a", "", "b\n"),
        ("max = 1\nx = 1\n", "x = 1", "x = 2", "max = 1\nx = 2\n"),
        ("\ta\r\nb\n", "\ta\r", "c", "c\nb\n"),
    ],
)
def test_lines_are_exchanged_whole(text: str, old: str, new: str, result: str) -> None:
    assert exchange_lines(text, ((old, new),)) == result


@pytest.mark.parametrize(("text", "old"), [("a\na\n", "a"), ("ab\n", "a"), ("", "a"), ("x\n", "X")])
def test_lines_that_do_not_stand_there_once_change_nothing(text: str, old: str) -> None:
    found = exchange_lines(text, (("b", "c"), (old, "new")) if "b\n" in text else ((old, "new"),))
    assert isinstance(found, HunkMisfit)
    assert "times" in found.why
