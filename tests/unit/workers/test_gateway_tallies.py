"""What a gateway tells Prometheus before anything happened."""

import re

from prometheus_client import CollectorRegistry, generate_latest

from models.schemas.model_call import GatewayFault
from tests.deploy.metric_names import rules
from workers.model_gateway.tallies import FAULTS, GatewayTallies

SELECTED = re.compile(r"(gradefarm_gateway_[a-z_]+_total)(?:{([a-z]+)=~?\"([^\"]+)\"})?")


def told_series() -> list[str]:
    registry = CollectorRegistry()
    GatewayTallies(registry, ["p"])
    return generate_latest(registry).decode().splitlines()


def test_every_counter_that_an_alert_looks_at_is_told_from_the_beginning() -> None:
    """Its first time would be no increase of a series that was not there."""
    selected = [one for rule in rules() for one in SELECTED.findall(rule["expr"])]
    assert len(selected) == 5
    told = told_series()
    for name, label, values in selected:
        for value in values.split("|"):
            series = re.compile(rf'{name}{{.*{label}="{value}".*}} 0.0' if label else name)
            assert any(series.match(line) for line in told), f"{name} {label}={value}"


def test_each_category_of_a_gateways_fault_is_told_from_the_beginning() -> None:
    told = told_series()
    for category in FAULTS:
        GatewayFault.model_validate({"category": category, "detail": ""})
        assert f'gradefarm_gateway_faults_total{{category="{category}"}} 0.0' in told
