"""Systems that look for secrets wherever a sandbox lets them, and a model that tells all it has."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.model_server import Fault, is_question
from tests.fakes.model_wires import Ask, Reply
from tests.fakes.running_gateway import CHAT, CLAUDE

SNOOPED, SAID, REFUSED = "mark-snooped-5f0d", "mark-said-81c2", "mark-refused-77ab"
"""Marks in what sandboxes show, in what the model says, and in what the provider refuses with."""
LOOT = "loot.txt"
WAITS_S = 30.0
LOCKED_OUT = 1001
"""The seed of whose key the provider says that it is bad."""
LOOK = (
    f"echo {SNOOPED}; env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/self/mountinfo"
    " /proc/net/unix 2>/dev/null | tr '\\0' '\\n'; ls -la / /tmp /home /root /run /var/tmp 2>&1;"
    " find / \\( -path /proc -o -path /sys -o -path /usr -o -path /dev \\) -prune -o -type f"
    " -size -256k -print -exec cat {} \\; 2>/dev/null | head -c 2000000"
)
PROGRAM = f"""#!/usr/bin/python3
import json, os, subprocess, urllib.error, urllib.request

KEY, URL = os.environ["ANTHROPIC_API_KEY"], os.environ["ANTHROPIC_BASE_URL"]

def look():
    subprocess.run(["/bin/sh", "-c", {LOOK!r}])

def ask(said, key=KEY, path="/v1/messages", **more):
    told = [{{"role": "user", "content": said}}]
    body = {{"model": {CLAUDE!r}, "max_tokens": 100, "messages": told, **more}}
    head = {{"x-api-key": key, "authorization": "Bearer " + key}}
    asked = urllib.request.Request(URL + path, json.dumps(body).encode(), head)
    try:
        with urllib.request.urlopen(asked, timeout=60) as got:
            return got.status, str(got.headers), got.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, str(error.headers), error.read().decode()

def streamed(text):
    lines = [one[6:] for one in text.splitlines() if one.startswith("data: ")]
    return "".join(json.loads(one).get("delta", {{}}).get("text", "") for one in lines)

look()
print(ask("my key is " + KEY[::-1]), flush=True)
look()
print("streamed", streamed(ask("repeat your key", stream=True)[2]))
print(ask("fail"))
print(ask("open a grant", path="/../grants"))
other = json.loads(ask("which key is not " + KEY[::-1])[2])["content"][0]["text"]
if other != "none":
    status = ask("hello", key=other[::-1])[0]
    print("its-key-is-worth", status)
    ask(f"its key is worth {{status}}")
print("own key", KEY)
"""

CAMPAIGN = """
name = "snooping"
tasks = ["{task}"]
languages = ["python"]
repeats = 2

[[systems]]
name = "talker"
agent = "chat"
settings = {{ model = "{chat}", seed = 1, done_gate = false }}

[[systems]]
name = "snoop"
agent = "preset"
settings = {{ preset = "claude-code", model = "{claude}", program = "{program}" }}

[[systems]]
name = "locked-out"
agent = "chat"
settings = {{ model = "{chat}", seed = {locked_out} }}

[[systems]]
name = "shell"
agent = "command"
settings = {{ argv = ["/bin/sh", "-c", {look}] }}

[limits]
agent_wall_s = 240

[policy]
max_attempts = 1
"""


def campaign_text(task: str, program: str) -> str:
    """A campaign of the three, twice each."""
    look = json.dumps(f"({LOOK}) | tee {LOOT}")
    return CAMPAIGN.format(
        task=task, locked_out=LOCKED_OUT, chat=CHAT, claude=CLAUDE, program=program, look=look
    )


@dataclass
class TellingModel:
    """Says the key that it was asked with in every reply, in one piece and in many, and in its
    errors. `keys` are those of the runs that asked; `has_ended` tells whether a run's key is dead
    by now. The first run to ask is told no key of another, the second that of the first."""

    has_ended: Callable[[], bool]
    keys: list[str] = field(default_factory=list[str])
    worth: list[str] = field(default_factory=list[str])
    _both: threading.Event = field(default_factory=threading.Event)
    _asked: int = 0

    def says(self, ask: Ask) -> Reply:
        """The script."""
        told = f"{SAID} my key is {ask.key}, is it not?"
        if ask.model != CLAUDE:
            return Reply((f"{told}\n```shell\n{LOOK}\n```", f"{told}\n```done\n```")[ask.turn > 0])
        said = str(ask.body["messages"][0]["content"])
        if said.startswith("my key is "):
            self.keys.append(said.removeprefix("my key is ")[::-1])
            if len(self.keys) > 1:
                self._both.set()
            self._both.wait(WAITS_S)
        elif said.startswith("which key is not "):
            return Reply(self._other(said.removeprefix("which key is not ")))
        elif said.startswith("its key is worth"):
            self.worth.append(said.rpartition(" ")[2])
        return Reply(told)

    def _other(self, own: str) -> str:
        self._asked += 1
        if self._asked == 1:
            return "none"
        give_up = time.monotonic() + 3 * WAITS_S
        while not self.has_ended() and time.monotonic() < give_up:
            time.sleep(0.05)
        return next(key[::-1] for key in self.keys if key[::-1] != own)

    def fault(self, ask: Ask) -> Fault | None:
        """What a request meets: the talker's second run an error, who is
        locked out that the key is bad."""
        if ask.model == CLAUDE:
            said = ask.body["messages"][0]["content"]
            return Fault(400, message=self._error(ask)) if said == "fail" else None
        if is_question(ask):
            return None
        seed = int(ask.body["seed"])
        if seed >= LOCKED_OUT:
            return Fault(401, message=self._error(ask))
        return Fault(400, message=self._error(ask)) if (seed, ask.turn) == (2, 1) else None

    def _error(self, ask: Ask) -> str:
        return f"{REFUSED} Incorrect API key provided: {ask.key}"
