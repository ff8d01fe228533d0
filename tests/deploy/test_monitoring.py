"""Prometheus and Grafana: each alert fires in its trouble and only then; expressions parse."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.deploy.deploy_files import DEPLOY, image_environment, read_yaml, run_tool, tool
from tests.deploy.metric_names import expressions, panels, rules

PROMETHEUS = DEPLOY / "prometheus"
CASES = Path(__file__).with_name("alert_cases.yml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rules beside their cases."""
    place = tmp_path_factory.mktemp("prometheus")
    for path in (*PROMETHEUS.glob("*.yml"), CASES):
        shutil.copy(path, place)
    return place


def test_every_alert_fires_in_its_trouble_and_none_in_a_farm_that_is_well(folder: Path) -> None:
    done = run_tool(tool("promtool"), "test", "rules", CASES.name, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    cases = yaml.safe_load(CASES.read_text())["tests"]
    fired = {
        test["alertname"]
        for case in cases
        for test in case["alert_rule_test"]
        if test["exp_alerts"]
    }
    silent = {test["alertname"] for test in cases[0]["alert_rule_test"]}
    assert fired == silent == {rule["alert"] for rule in rules()}


@pytest.mark.parametrize("name", ["compose", "machines", "kubernetes"])
def test_every_configuration_is_one_that_prometheus_takes(folder: Path, name: str) -> None:
    config = read_yaml("prometheus", f"{name}.yml")
    for job in config["scrape_configs"]:
        # Debian builds Prometheus without the client of Kubernetes; the rest of the job is checked.
        if job.pop("kubernetes_sd_configs", None) is not None:
            job["static_configs"] = [{"targets": ["pod:9100"]}]
        assert job["job_name"].startswith("gradefarm-"), "GradefarmTargetDown would not see it"
    (folder / f"checked-{name}.yml").write_text(yaml.safe_dump(config))
    done = run_tool(tool("promtool"), "check", "config", f"checked-{name}.yml", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(rules())} rules found" in done.stdout


def test_pods_with_figures_are_told_by_the_label_that_they_bear() -> None:
    job = read_yaml("prometheus", "kubernetes.yml")["scrape_configs"][0]
    kept = [rule for rule in job["relabel_configs"] if rule.get("action") == "keep"]
    assert kept[0]["source_labels"] == ["__meta_kubernetes_pod_label_gradefarm_metrics"]
    assert {rule["regex"] for rule in kept} == {
        image_environment("scheduler")["GRADEFARM_METRICS_PORT"]
    }


def test_every_service_that_has_figures_is_fetched_in_compose() -> None:
    compose = read_yaml("compose", "compose.yaml")["services"]
    jobs = read_yaml("prometheus", "compose.yml")["scrape_configs"]
    fetched = {job["dns_sd_configs"][0]["names"][0]: job["dns_sd_configs"][0] for job in jobs}
    with_figures = {
        name
        for name, one in compose.items()
        if "build" in one
        and image_environment(one["build"]["target"]).get("GRADEFARM_METRICS_PORT")
    } - {"migrate"}
    assert set(fetched) == with_figures
    reach = set(compose["prometheus"]["networks"])
    for name, place in fetched.items():
        assert reach & set(compose[name]["networks"])
        assert place["port"] == 9100


def test_every_expression_of_the_dashboard_parses(folder: Path) -> None:
    """As recording rules, which is how promtool takes expressions."""
    asked = expressions()
    group = {
        "name": "dashboard",
        "rules": [{"record": f"x{n}", "expr": text} for n, text in enumerate(asked.values())],
    }
    (folder / "dashboard.yml").write_text(yaml.safe_dump({"groups": [group]}))
    done = run_tool(tool("promtool"), "check", "rules", "dashboard.yml", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(asked)} rules found" in done.stdout


def test_the_dashboard_is_laid_out_without_gaps_and_asks_the_source_that_is_provided() -> None:
    board = json.loads((DEPLOY / "grafana" / "dashboards" / "gradefarm.json").read_text())
    (source,) = read_yaml("grafana", "provisioning", "datasources", "prometheus.yml")["datasources"]
    rows: dict[int, int] = {}
    for panel in panels():
        assert panel["datasource"] == {"type": "prometheus", "uid": source["uid"]}
        assert panel["title"]
        place = panel["gridPos"]
        assert place["x"] == rows.get(place["y"], 0)
        rows[place["y"]] = place["x"] + place["w"]
    assert set(rows.values()) == {24}
    assert len({panel["id"] for panel in panels()}) == len(panels())
    assert board["uid"] == "gradefarm"
    assert not board["editable"]


def test_grafana_finds_its_dashboards_where_compose_mounts_them() -> None:
    (provider,) = read_yaml("grafana", "provisioning", "dashboards", "gradefarm.yml")["providers"]
    grafana = read_yaml("compose", "compose.yaml")["services"]["grafana"]
    mounts = dict(v.split(":")[:2] for v in grafana["volumes"])
    assert mounts["../grafana/dashboards"] == provider["options"]["path"]
    (source,) = read_yaml("grafana", "provisioning", "datasources", "prometheus.yml")["datasources"]
    assert source["url"].removeprefix("$") in grafana["environment"]


def test_every_alert_says_how_bad_it_is_what_it_means_and_where_to_read_on() -> None:
    for rule in rules():
        assert rule["labels"]["severity"] in {"critical", "warning"}
        notes = rule["annotations"]
        assert set(notes) == {"summary", "description", "runbook"}
        assert notes["runbook"] == f"deploy/runbook.md#{rule['alert'].lower()}"
        assert re.match(r"Gradefarm[A-Z]", rule["alert"])
