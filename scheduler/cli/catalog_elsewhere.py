"""`gradefarm catalog list` of a farm elsewhere."""

from scheduler.cli.farm_access import open_farm
from tasks_catalog.cli import print_listing


def list_elsewhere(*, as_json: bool) -> None:
    """The tasks and languages that the farm elsewhere tells."""
    print_listing(open_farm().catalogue.listing(), as_json=as_json)
