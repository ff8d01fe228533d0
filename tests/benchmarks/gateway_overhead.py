"""What the gateway adds to a call of a language model, beside the same calls without it.

A model server that answers at once, in a process of its own, is asked by the same client directly
and through the gateway (one process, over loopback TCP, with a budget, prices, a journal and whole
bodies kept as files). Both take turns, round by round, so that a drifting machine hits both. `one`
is one caller, `eight` are eight at once. Latencies are medians of all rounds.
"""

import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from models.schemas.model_call import GrantRequest
from tests.fakes.model_server import KEY
from workers.gateway_access import GatewayAccess

MODEL = "bench-model"
SIZES = {"1 kB": 1_000, "100 kB": 100_000}
HEAD = (
    "| request | reply | callers | bare ms | through the gateway ms | added ms | bare calls/s "
    "| through calls/s | ratio (min-max) | gateway CPU ms a call |\n|" + " --- |" * 10
)


@dataclass(frozen=True)
class Target:
    """Where the same call is sent, and with which key."""

    url: str
    path: str
    key: str


@dataclass(frozen=True)
class Case:
    """One row."""

    size: str
    streamed: bool
    callers: int

    @property
    def body(self) -> bytes:
        said = [{"role": "user", "content": "x" * SIZES[self.size]}]
        return json.dumps({"model": MODEL, "messages": said, "stream": self.streamed}).encode()


def measure(rounds: int, calls: int) -> str:
    """The table: each row with `rounds` rounds of `calls` calls on each side."""
    rows = [HEAD]
    with _both() as (bare, through, gateway):
        for size in SIZES:
            for streamed in (False, True):
                for callers in (1, 8):
                    case = Case(size, streamed, callers)
                    rows.append(_row(case, (bare, through), gateway, (rounds, calls)))
    return "\n".join(rows)


def _row(
    case: Case, sides: tuple[Target, Target], gateway: psutil.Process, amount: tuple[int, int]
) -> str:
    rounds, calls = amount
    latencies: tuple[list[float], list[float]] = ([], [])
    rates: tuple[list[float], list[float]] = ([], [])
    used_s = 0.0
    for side in sides:
        _round(case, side, 5)
    for _ in range(rounds):
        for place, side in enumerate(sides):
            before, began = _cpu_s(gateway), time.perf_counter()
            latencies[place].extend(_round(case, side, calls))
            rates[place].append(calls / (time.perf_counter() - began))
            used_s += _cpu_s(gateway) - before if place else 0.0
    ratios = [slow / fast for fast, slow in zip(*rates, strict=True)]
    bare, through = (statistics.median(one) * 1_000 for one in latencies)
    speeds = [statistics.median(one) for one in rates]
    kind = "stream" if case.streamed else "whole"
    callers = {1: "one", 8: "eight"}[case.callers]
    return (
        f"| {case.size} | {kind} | {callers} | {bare:.1f} | {through:.1f} | {through - bare:.1f} "
        f"| {speeds[0]:.0f} | {speeds[1]:.0f} | {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f}-{max(ratios):.2f}) | {used_s * 1_000 / (rounds * calls):.1f} |"
    )


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _round(case: Case, side: Target, calls: int) -> list[float]:
    share = max(1, calls // case.callers)
    with ThreadPoolExecutor(case.callers) as pool:
        parts = pool.map(lambda _: _calls(case, side, share), range(case.callers))
        return [took for part in parts for took in part]


def _calls(case: Case, side: Target, calls: int) -> list[float]:
    parts = urlsplit(side.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    head = {"authorization": f"Bearer {side.key}", "content-type": "application/json"}
    took: list[float] = []
    for _ in range(calls):
        began = time.perf_counter()
        connection.request("POST", side.path, case.body, head)
        answer = connection.getresponse()
        told = answer.read()
        took.append(time.perf_counter() - began)
        assert answer.status == 200, told
    connection.close()
    return took


@contextmanager
def _both() -> Generator[tuple[Target, Target, psutil.Process]]:
    with tempfile.TemporaryDirectory(prefix="gradefarm-bench-", dir="/var/tmp") as name:
        home = Path(name)
        server_words = [sys.executable, "-m", "tests.fakes.model_server"]
        with _started(server_words, {}, r"(http://\S+)") as (server, _):
            _write(home, server)
            command = [sys.executable, "-m", "scheduler.cli.main", "gateway"]
            words = [*command, "--host", "127.0.0.1", "--port", "0"]
            environment = {"GRADEFARM_HOME": name}
            with _started(words, environment, r"listens on (http://\S+)") as (address, pid):
                access = GatewayAccess(address, "", home / "gateway" / "token")
                grant = access.open(
                    GrantRequest(run_id=1, token=1, models=(MODEL,), cost_microusd=10**12)
                )
                bare = Target(server, "/v1/chat/completions", KEY)
                through = Target(address, "/openai/v1/chat/completions", grant.key)
                yield bare, through, psutil.Process(pid)
                report = access.close(grant)
                assert report.fault is None
                access.close_connections()


def _write(home: Path, server: str) -> None:
    (home / "key").write_text(KEY)
    (home / "gateway.toml").write_text(
        f'[providers.near]\nwire = "openai"\nbase_url = "{server}/v1"\nkey_file = "key"\n'
        f'[models.{MODEL}]\nprovider = "near"\nmost_output_tokens = 1000\n'
        f'[[prices]]\nmodel = "{MODEL}"\nvalid_from = 2026-01-01\n'
        "input = 1_000_000\noutput = 10_000_000\n"
    )


@contextmanager
def _started(words: list[str], variables: dict[str, str], sign: str) -> Generator[tuple[str, int]]:
    """A process, once it has printed what `sign` finds, and its id."""
    process = subprocess.Popen(
        words, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        found = re.search(sign, process.stdout.readline())
        assert found
        yield found[1], process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
