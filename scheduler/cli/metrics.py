"""`gradefarm metrics`: the figures of the farm, once."""

import sys

import typer

from scheduler.cli.farm_access import open_local_farm
from scheduler.metrics.farm_collector import FarmCollector, metrics_text

app = typer.Typer(rich_markup_mode=None)


@app.command()
def metrics() -> None:
    """The figures of this machine's farm in Prometheus' text format, as its scheduler serves them.

    \b
      gradefarm metrics
      gradefarm metrics | grep void_attempts
    """
    farm = open_local_farm()
    sys.stdout.write(metrics_text(FarmCollector(farm.database, farm.clock)).decode())
