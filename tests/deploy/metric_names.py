"""Which metrics expressions of rules and dashboards ask for."""

import json
import re
from typing import Any

from tests.deploy.deploy_files import DEPLOY, read_yaml

METRIC = re.compile(r"\bgradefarm_[a-z_]+")
PARTS_OF_HISTOGRAMS = re.compile(r"_(bucket|sum|count)$")


def rules() -> list[dict[str, Any]]:
    """Every alert rule."""
    (group,) = read_yaml("prometheus", "rules.yml")["groups"]
    return group["rules"]


def panels() -> list[dict[str, Any]]:
    """Every panel of the dashboard."""
    file = DEPLOY / "grafana" / "dashboards" / "gradefarm.json"
    return json.loads(file.read_text())["panels"]


def expressions() -> dict[str, str]:
    """Every expression by where it stands."""
    asked = {rule["alert"]: rule["expr"] for rule in rules()}
    for panel in panels():
        for target in panel["targets"]:
            asked[f"panel {panel['title']} {target['refId']}"] = target["expr"]
    return asked


def asked_metrics() -> set[str]:
    """The names of all metrics that are asked for, histograms by their own name."""
    found = {name for text in expressions().values() for name in METRIC.findall(text)}
    return {PARTS_OF_HISTOGRAMS.sub("", name) for name in found}
