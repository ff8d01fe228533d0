"""`make bench`: the quick benchmarks, or those named; results go to `tests/benchmarks/results/`."""

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

import psutil

from tests.benchmarks import (
    catalogue_proof,
    chat_campaign,
    gateway_overhead,
    long_run,
    overhead,
    planning,
    scale,
)

RESULTS = Path(__file__).parent / "results"
QUICK = ("overhead", "gateway_overhead", "planning")
LONG = ("catalogue_proof", "long_run", "scale", "chat_campaign")
"""The long ones only run when they are named."""


def main() -> None:
    """Run the chosen benchmarks and write one page for each.

    Exits with 4 where one that must come out so did not: the catalogue's proof, a planted campaign.
    """
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("names", nargs="*", choices=[*QUICK, *LONG, []], default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--drain", type=int, nargs="+", default=[10_000], help="one, or one a size")
    parser.add_argument("--seconds", type=int, default=3_600)
    chosen = parser.parse_args()
    failed = [name for name in chosen.names or QUICK if _measured(name, chosen)]
    if failed:
        sys.exit(4)


def _measured(name: str, chosen: argparse.Namespace) -> bool:
    """Run one benchmark and write its page; whether what it shows must not be."""
    failed = False
    if name == "overhead":
        how = f"overhead --rounds {chosen.rounds} --runs {chosen.runs}"
        table, told = overhead.measure(chosen.rounds, chosen.runs), overhead.__doc__
    elif name == "gateway_overhead":
        how = f"gateway_overhead --rounds {chosen.rounds} --runs {chosen.runs}"
        table = gateway_overhead.measure(chosen.rounds, chosen.runs)
        told = gateway_overhead.__doc__
    elif name == "planning":
        how = f"planning --sizes {' '.join(map(str, chosen.sizes))}"
        table, told = planning.measure(tuple(chosen.sizes)), planning.__doc__
    elif name == "scale":
        drained = chosen.drain if len(chosen.drain) > 1 else chosen.drain * len(chosen.sizes)
        how = f"scale --sizes {' '.join(map(str, chosen.sizes))}"
        how += f" --drain {' '.join(map(str, chosen.drain))}"
        table, told = scale.measure(tuple(zip(chosen.sizes, drained, strict=True))), scale.__doc__
    elif name == "long_run":
        how = f"long_run --seconds {chosen.seconds}"
        table, once = long_run.measure(chosen.seconds)
        told, failed = long_run.__doc__, not once
    elif name == "chat_campaign":
        how = "chat_campaign"
        table, right = chat_campaign.measure()
        told, failed = chat_campaign.__doc__, not right
    else:
        how = f"catalogue_proof --repeats {chosen.repeats}"
        table, green = catalogue_proof.measure(chosen.repeats)
        told, failed = catalogue_proof.__doc__, not green
    write(name, (told or "").strip(), f'make bench ARGS="{how}"', table)
    print(table)
    return failed


def write(name: str, told: str, how: str, table: str) -> None:
    """One page: what it measures, where and how, and the figures."""
    machine = (
        f"{os.cpu_count()} processors, {psutil.virtual_memory().total / 2**30:.0f} GiB, "
        f"Linux {platform.release()}, Python {platform.python_version()}"
    )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(
        f"# {name}\n\n{told}\n\nCommand: `{how}`\nDate: {datetime.now(UTC):%Y-%m-%d}\n"
        f"Machine: {machine}\n\n{table}\n"
    )


if __name__ == "__main__":
    main()
