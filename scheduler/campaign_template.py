"""The campaign file that is written for a person to edit: every field, with what it means."""

from collections.abc import Mapping, Sequence

TEMPLATE = """\
# A campaign: systems x tasks x languages x repeats. Start it with
#   gradefarm campaign start {name}.toml --watch
# and read its board, also before it has ended, with
#   gradefarm board

# 1 to 64 of a-z, 0-9 and inner hyphens. Each start is a campaign of its own, with the next
# number of the farm: {name}-7, ...
name = "{name}"

# What the systems are asked to do. "all" stands for every task of the catalogue.
# The catalogue has: {tasks}
tasks = [{task_list}]

# In which languages. "all" stands for every language of the tasks.
# {languages}
languages = {language_list}

# Independent runs of each system on each task in each language. More runs, narrower bands:
# 8 of 8 says "at least 0.68", 30 of 30 says "at least 0.89" (95 %).
repeats = 8

# From -10 to 10; campaigns of a higher priority are served first.
# priority = 0

# ---------------------------------------------------------------------------------------
# Systems: one [[systems]] table for each. A name for people; an agent; its settings.
# Two systems with the same agent and settings are the same system, whatever their names.

# Scripted systems, to try the farm and to calibrate a board:
[[systems]]
name = "reference"
agent = "reference"            # applies the task's own solution

[[systems]]
name = "coin-60"
agent = "stochastic"           # solves with a known probability, the same way for the same seed
settings = {{ solve_probability = 0.6, seed = 1 }}

[[systems]]
name = "idle"
agent = "idle"                 # does nothing at all

# Any agent with a command line. It runs inside the sandbox, in the workspace. {{ticket}} stands
# for the text of the ticket, {{ticket_file}} for a file with it.
# [[systems]]
# name = "my-agent"
# agent = "command"
# settings = {{ argv = ["my-agent", "--yes", "{{ticket}}"] }}

# A language model through the farm's gateway, with the farm's own agent: one shell command or edit
# after the other ("loop"), or one reply that holds the files ("one-shot"). wire: "openai-chat" or
# "anthropic".
# [[systems]]
# name = "small-model"
# agent = "chat"
# settings = {{ model = "small-model", wire = "openai-chat", mode = "loop", turns = 40 }}

# A system may be limited, over all workers and campaigns:
# max_concurrent = 4           # runs at work at once
# starts_per_minute = 30

# A fixed list of shell commands:
# [[systems]]
# name = "touch-readme"
# agent = "scripted"
# settings = {{ actions = ["echo hello >> README.md"] }}

# ---------------------------------------------------------------------------------------
# Limits of the agent's work. What is not given is the task's own limit.
[limits]
# agent_wall_s = 600           # seconds
# agent_memory_mb = 2048
# agent_processes = 256
# agent_output_mb = 16
# workspace_mb = 256

# What one run may use of a language model; needed where the budget below names the same.
# agent_cost_usd = 0.50         # US dollars
# agent_tokens = 200000

# What all runs together may use. A run reserves its own limit before it starts, and is charged
# what it used when it ends. When no run can start any more, the campaign pauses and says so.
# [budget]
# cost_usd = 20
# tokens = 5000000
# wall_s = 36000               # seconds of all agents added up

# How runs count. Decide it before you see the numbers.
[policy]
undelivered = "failed"         # a run that changed nothing: "failed", or "excluded" from the score
max_attempts = 3               # tries of a stage that the farm could not do, before the run is void
"""


def campaign_template(name: str, variants: Mapping[str, Sequence[str]]) -> str:
    """A commented campaign file called `name` over the whole catalogue.

    `variants` gives the languages of each task. The text is a valid campaign file whenever the
    catalogue has a task.
    """
    first = next(iter(variants.values()))
    shared = [one for one in first if all(one in known for known in variants.values())]
    return TEMPLATE.format(
        name=name,
        tasks=", ".join(variants),
        task_list=", ".join(f'"{task}"' for task in variants),
        languages="\n# ".join(f"{task}: {', '.join(known)}" for task, known in variants.items()),
        language_list="[" + ", ".join(f'"{language}"' for language in shared) + "]",
    )
