"""What is wrong with a field of a campaign file, and what to write instead, in plain words."""

from pydantic_core import ErrorDetails

from models.schemas.task import LONGEST_AGENT_WALL_S

NAME = '1 to 64 of a-z, 0-9 and inner hyphens, for example "nightly"'

WRITE = {
    "name": NAME,
    "agent": 'the name of an agent, for example agent = "command"',
    "tasks": 'a list of names, for example tasks = ["circuit-breaker"], or tasks = "all"',
    "languages": 'a list of names, for example languages = ["python"], or languages = "all"',
    "repeats": "a whole number from 1 to 100000, for example repeats = 8",
    "priority": "a whole number from -10 to 10",
    "systems": 'a table for each system: a line [[systems]], below it its name = "…" and '
    'agent = "…"',
    "settings": "a table, for example settings = { seed = 1 }",
    "limits": "a table: a line [limits], below it for example agent_wall_s = 600",
    "policy": "a table: a line [policy], below it for example max_attempts = 3",
    "budget": "a table: a line [budget], below it for example cost_usd = 20",
    "max_concurrent": "a whole number from 1 to 1000000, for example max_concurrent = 4",
    "starts_per_minute": "a whole number from 1 to 1000000, for example starts_per_minute = 30",
    "cost_usd": "US dollars above 0, to a millionth, for example cost_usd = 20",
    "tokens": "a whole number from 1, for example tokens = 5000000",
    "wall_s": "seconds, a number above 0, for example wall_s = 36000",
    "agent_cost_usd": "US dollars above 0, to a millionth, for example agent_cost_usd = 0.5",
    "agent_tokens": "a whole number from 1, for example agent_tokens = 200000",
    "agent_wall_s": f"seconds, a number above 0 and at most {LONGEST_AGENT_WALL_S}",
    "agent_memory_mb": "a whole number from 64",
    "agent_processes": "a whole number from 8 to 4096",
    "agent_output_mb": "a whole number from 1 to 1024",
    "workspace_mb": "a whole number from 1 to 16384",
    "undelivered": '"failed" or "excluded"',
    "max_attempts": "a whole number from 1 to 20",
    "argv": 'a list of strings, for example argv = ["my-agent", "--yes"]',
    "ticket": '"argument", "file" or "stdin"',
    "env": 'a table of strings, for example env = { MODE = "fast" }',
    "actions": 'a list of shell commands, for example actions = ["make", "make test"]',
    "solve_probability": "a number from 0 to 1, for example solve_probability = 0.6",
    "seed": "a whole number, for example seed = 1",
    "fail_with": '"fault", "starter" or "mixed"',
    "model": 'the name of a model of the gateway, for example model = "small-model"',
    "wire": '"openai-chat" or "anthropic"',
    "preset": '"claude-code", "codex", "mini-swe-agent" or "aider"',
    "program": 'the path of the program in the sandbox, for example program = "/usr/bin/codex"',
    "mode": '"loop" or "one-shot"',
    "tools": "true or false",
    "stream": "true or false",
    "turns": "a whole number from 1 to 1000, for example turns = 50",
    "reply_tokens": "a whole number from 1, for example reply_tokens = 8192",
    "temperature": "a number from 0 to 2 (anthropic: 1), for example temperature = 0.7",
    "nudges": "a whole number from 0 to 100, for example nudges = 3",
    "identical_malformed": "a whole number from 2 to 100, for example identical_malformed = 3",
    "warn_turns": "a whole number from 0 to 1000, for example warn_turns = 3",
    "command_s": f"seconds, a number above 0 and at most {LONGEST_AGENT_WALL_S}",
    "done_gate": "true or false",
    "recordings": 'a list of digests of transcripts, for example recordings = ["sha256:…"]',
    "folder": 'a folder of every agent worker, for example folder = "/srv/recordings"',
}
"""What every field of a campaign file, and every setting of an agent, is written as."""

PAID_BY = {
    "cost_usd": "below [limits] write for example agent_cost_usd = 0.5, and at most the budget",
    "tokens": "below [limits] write for example agent_tokens = 200000, and at most the budget",
    "wall_s": "lower agent_wall_s, or raise the budget",
}
"""How a budget gets what every run reserves of it."""

PROBLEMS = {
    "missing": "missing",
    "extra_forbidden": "no such field",
    "tuple_type": "not a list",
    "string_type": "not a text",
    "string_pattern_mismatch": "can't be a name",
    "too_short": "empty",
    "int_type": "not a whole number",
    "int_from_float": "not a whole number",
    "int_parsing": "not a whole number",
    "float_type": "not a number",
    "float_parsing": "not a number",
    "decimal_type": "not a number",
    "decimal_parsing": "not a number",
    "decimal_max_places": "more than six decimals",
    "finite_number": "not a finite number",
    "greater_than": "too small",
    "greater_than_equal": "too small",
    "less_than": "too large",
    "less_than_equal": "too large",
    "literal_error": "not one of the words that are known",
    "dict_type": "not a table",
    "model_type": "not a table",
    "model_attributes_type": "not a table",
}


def problem_of(item: ErrorDetails) -> str:
    """What is wrong, with the value that stands there."""
    kind = item["type"]
    if kind in ("missing", "extra_forbidden"):
        return PROBLEMS[kind]
    problem = PROBLEMS.get(kind, item["msg"].removeprefix("Value error, "))
    return problem if kind == "value_error" else f"{problem} (it is {item['input']!r})"


def remedy_of(item: ErrorDetails) -> str:
    """What to write there instead."""
    known = [part for part in item["loc"] if isinstance(part, str) and part in WRITE]
    if not known:
        return "write a value of that kind"
    return f"{'add it:' if item['type'] == 'missing' else 'write'} {WRITE[known[-1]]}"
