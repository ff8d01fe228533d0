"""`make bench`: every benchmark, or those named; results go to `tests/benchmarks/results/`."""

import argparse
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

import psutil

from tests.benchmarks import overhead, planning

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run the chosen benchmarks and write one page for each."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("names", nargs="*", choices=["overhead", "planning", []], default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    chosen = parser.parse_args()
    pages = {
        "overhead": lambda: overhead.measure(chosen.rounds, chosen.runs),
        "planning": lambda: planning.measure(tuple(chosen.sizes)),
    }
    for name in chosen.names or list(pages):
        table = pages[name]()
        write(name, table, chosen)
        print(table)


def write(name: str, table: str, chosen: argparse.Namespace) -> None:
    """One page: what it measures, where and how, and the figures."""
    module = {"overhead": overhead, "planning": planning}[name]
    how = {
        "overhead": f'make bench ARGS="overhead --rounds {chosen.rounds} --runs {chosen.runs}"',
        "planning": f'make bench ARGS="planning --sizes {" ".join(map(str, chosen.sizes))}"',
    }[name]
    machine = (
        f"{os.cpu_count()} processors, {psutil.virtual_memory().total / 2**30:.0f} GiB, "
        f"Linux {platform.release()}, Python {platform.python_version()}"
    )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(
        f"# {name}\n\n{(module.__doc__ or '').strip()}\n\n"
        f"Command: `{how}`\nDate: {datetime.now(UTC):%Y-%m-%d}\nMachine: {machine}\n\n{table}\n"
    )


if __name__ == "__main__":
    main()
