"""The manifests: valid by Kubernetes' and KEDA's schemas, no pod with more reach than it needs."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from models.messaging.queues import all_queues
from models.records.signing_keys import KeyRole
from scheduler.scheduler_loop import ALIVE_FILE
from tests.deploy.deploy_files import (
    DEPLOY,
    OVERLAYS,
    ROOT,
    Document,
    go_module,
    last,
    of_kind,
    rendered,
    run_tool,
)

KEDA = ("github.com/kedacore/keda/v2", "v2.21.0")
VERSIONS = ("1.33", "1.37")
"""The first where user namespaces of pods are on by themselves, and the newest that is known."""
HANDS = {"agent", "grade-scripts", "grade-compiled"}
ALONE = {"flower", "gateway"}
"""Of these there is one pod: a window, and what holds limits for all workers."""
LANGUAGES = tuple(sorted(p.stem for p in (ROOT / "tasks_catalog" / "languages").glob("*.toml")))
SHUTDOWN_S = 3600

both = pytest.mark.parametrize("overlay", OVERLAYS)


def pods(overlay: str) -> dict[str, Document]:
    """The pod templates by the name of what makes them."""
    made = of_kind(rendered(overlay), "Deployment", "Job")
    return {name: one["spec"]["template"] for name, one in made.items()}


def container(pod: Document) -> Document:
    (only,) = pod["spec"]["containers"]
    return only


@both
def test_every_document_is_valid_by_the_schemas_of_kubernetes(overlay: str) -> None:
    for one in rendered(overlay):
        if not one["apiVersion"].startswith("keda.sh"):
            for version in VERSIONS:
                kubernetes_validate.validate(one, version, strict=True)


def _closed(schema: Any) -> Any:
    """A schema that refuses what it does not name: the API server would drop it silently."""
    if isinstance(schema, dict):
        closed = {key: _closed(value) for key, value in schema.items()}
        if "properties" in schema and "x-kubernetes-preserve-unknown-fields" not in schema:
            closed.setdefault("additionalProperties", False)
        return closed
    return [_closed(one) for one in schema] if isinstance(schema, list) else schema


def test_what_keda_reads_is_valid_by_its_own_definitions() -> None:
    folder = go_module(*KEDA) / "config" / "crd" / "bases"
    found = [one for one in rendered("cluster") if one["apiVersion"].startswith("keda.sh")]
    assert {one["kind"] for one in found} == {"ScaledObject", "TriggerAuthentication"}
    for one in found:
        file = folder / f"keda.sh_{one['kind'].lower()}s.yaml"
        (version,) = (
            v
            for v in yaml.safe_load(file.read_text())["spec"]["versions"]
            if v["name"] == one["apiVersion"].split("/")[1]
        )
        schema = version["schema"]["openAPIV3Schema"]
        checked = {key: one[key] for key in one if key not in {"metadata"}}
        schema["properties"].pop("metadata", None)
        jsonschema.validate(checked, _closed(schema))


@both
def test_everything_lies_in_the_farms_namespace(overlay: str) -> None:
    for one in rendered(overlay):
        assert one["metadata"].get("namespace", one["metadata"]["name"]) == "gradefarm"


@both
def test_every_pod_is_bounded_and_runs_as_nobody_with_no_right(overlay: str) -> None:
    accounts = of_kind(rendered(overlay), "ServiceAccount")
    assert not of_kind(rendered(overlay), "Role", "ClusterRole", "RoleBinding")
    for name, pod in pods(overlay).items():
        spec, one = pod["spec"], container(pod)
        account = accounts[spec["serviceAccountName"]]
        assert account["automountServiceAccountToken"] is False
        assert spec["automountServiceAccountToken"] is False
        assert spec["enableServiceLinks"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert one["securityContext"]["readOnlyRootFilesystem"] is True
        assert one["securityContext"]["allowPrivilegeEscalation"] is False
        assert one["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        for bound in ("requests", "limits"):
            assert {"cpu", "memory"} <= set(one["resources"][bound]), name
        assert not re.search(r":latest$|^[^:]+$", one["image"]), one["image"]
        for volume in spec["volumes"]:
            assert "hostPath" not in volume
            assert "emptyDir" not in volume or "sizeLimit" in volume["emptyDir"]


@both
def test_only_what_runs_judged_code_opens_what_bubblewrap_needs(overlay: str) -> None:
    for name, pod in pods(overlay).items():
        profile = pod["spec"]["securityContext"]["seccompProfile"]
        unmasked = container(pod)["securityContext"].get("procMount")
        if name in HANDS:
            assert pod["spec"]["hostUsers"] is False
            assert profile == {"type": "Localhost", "localhostProfile": "gradefarm/seccomp.json"}
            assert unmasked == "Unmasked"
        else:
            assert profile == {"type": "RuntimeDefault"}
            assert unmasked is None


@both
def test_every_deployment_is_probed_spread_and_given_time_to_end(overlay: str) -> None:
    for name, one in of_kind(rendered(overlay), "Deployment").items():
        pod = one["spec"]["template"]
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container(pod))
        assert name in ALONE or pod["spec"]["topologySpreadConstraints"]
        grace = pod["spec"]["terminationGracePeriodSeconds"]
        if name not in HANDS:
            assert grace >= 30
            continue
        assert grace >= SHUTDOWN_S + 300
        assert {"name": "GRADEFARM_SHUTDOWN_S", "value": str(SHUTDOWN_S)} in container(pod)["env"]
        safe = pod["metadata"]["annotations"]["cluster-autoscaler.kubernetes.io/safe-to-evict"]
        assert safe == "false"
        assert one["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_a_scheduler_lives_as_long_as_its_loop_gives_signs_of_life(tmp_path: Path) -> None:
    """The probe of pods and the one of the image, which compose uses, word for word."""
    one = container(pods("one-node")["scheduler"])
    probes = [one[kind]["exec"]["command"] for kind in ("startupProbe", "livenessProbe")]
    probes.append(json.loads(last("scheduler", "HEALTHCHECK").partition("CMD ")[2]))
    alive = tmp_path / ALIVE_FILE
    for words in probes:
        here = [word.replace("/var/lib/gradefarm", str(tmp_path)) for word in words]
        assert run_tool(*here).returncode == 1
        alive.touch()
        assert run_tool(*here).returncode == 0
        old = time.time() - 150
        os.utime(alive, (old, old))
        assert run_tool(*here).returncode == 1
        alive.unlink()


@both
def test_secrets_are_mounted_as_files_and_the_template_knows_them_all(overlay: str) -> None:
    template = {
        one["metadata"]["name"]: set(one["stringData"])
        for one in yaml.safe_load_all((DEPLOY / "kubernetes" / "secrets.example.yaml").read_text())
    }
    assert not of_kind(rendered(overlay), "Secret"), "an overlay must not hold secrets"
    for pod in pods(overlay).values():
        one = container(pod)
        assert not [e for e in one.get("env", []) if "secretKeyRef" in e.get("valueFrom", {})]
        for volume in pod["spec"]["volumes"]:
            if "secret" in volume:
                assert volume["secret"]["secretName"] in template
        files = [e["value"] for e in one.get("env", []) if e["name"].endswith("_FILE")]
        for file in files:
            (mount,) = [m for m in one["volumeMounts"] if file.startswith(m["mountPath"] + "/")]
            (volume,) = [v for v in pod["spec"]["volumes"] if v["name"] == mount["name"]]
            key = file.removeprefix(mount["mountPath"] + "/")
            assert key in template[volume["secret"]["secretName"]]
    for config in of_kind(rendered(overlay), "ConfigMap").values():
        assert not re.search(r"://[^/\s]*:[^/\s]*@|password|secret_access", str(config["data"]))


@both
def test_an_agent_pod_has_no_way_to_answers(overlay: str) -> None:
    every = pods(overlay)
    agent = every["agent"]
    secrets = {v["secret"]["secretName"] for v in agent["spec"]["volumes"] if "secret" in v}
    own = {"agent-database", "agent-artifacts", "farm-broker", "gateway-token"}
    assert secrets == {*own, "recorder-key"}
    assert "gradefarm-agent" in container(agent)["image"]
    assert not [v for v in agent["spec"]["volumes"] if "secret" not in v and "emptyDir" not in v]
    (reference,) = container(agent)["envFrom"]
    config = of_kind(rendered(overlay), "ConfigMap")[reference["configMapRef"]["name"]]
    assert "GRADEFARM_ARTIFACTS_URL" not in config["data"]
    assert "GRADEFARM_CATALOG_SEALED" not in str(agent)
    others = {
        v["secret"]["secretName"]
        for name, pod in every.items()
        if name != "agent"
        for v in pod["spec"]["volumes"]
        if "secret" in v
    }
    assert secrets & others == {"farm-broker", "gateway-token"}
    holders = [name for name, pod in every.items() if "gateway-providers" in str(pod)]
    assert holders == ["gateway"], "providers' keys are with the gateway alone"


@both
def test_each_role_holds_the_key_alone_that_it_signs_records_with(overlay: str) -> None:
    template = {
        one["metadata"]["name"]: set(one["stringData"])
        for one in yaml.safe_load_all((DEPLOY / "kubernetes" / "secrets.example.yaml").read_text())
    }
    held: dict[str, set[str]] = {}
    for name, pod in pods(overlay).items():
        one = container(pod)
        places = [e["value"] for e in one.get("env", []) if e["name"] == "GRADEFARM_KEYS"]
        mounts = {m["name"]: m["mountPath"] for m in one["volumeMounts"]}
        for volume in pod["spec"]["volumes"]:
            files = template.get(volume.get("secret", {}).get("secretName"), set())
            if keys := {file for file in files if file.endswith(".pem")}:
                held[name] = keys
                assert places == [mounts[volume["name"]]]
    grader = {"grader.pem"}
    assert held == {
        "migrate": {f"{role}.pem" for role in KeyRole},
        "scheduler": {"log.pem"},
        "agent": {"recorder.pem"},
        "grade-scripts": grader,
        "grade-compiled": grader,
    }


def _selects(selector: Document, labels: dict[str, str]) -> bool:
    wanted = selector.get("matchLabels", {})
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(
        labels.get(rule["key"]) in rule["values"] for rule in selector.get("matchExpressions", [])
    )


@both
def test_the_network_is_shut_but_for_the_doors_of_each_role(overlay: str) -> None:
    policies = of_kind(rendered(overlay), "NetworkPolicy")
    shut = policies.pop("default-deny")["spec"]
    assert shut == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    doors = {
        name: {
            policy
            for policy, one in policies.items()
            if _selects(one["spec"]["podSelector"], pod["metadata"]["labels"])
        }
        for name, pod in pods(overlay).items()
    }
    data = {"names", "to-database", "to-broker", "to-artifacts"}
    assert doors == {
        "agent": data | {"metrics", "agent-to-gateway"},
        "gateway": {"names", "to-artifacts", "metrics", "to-providers", "gateway-from-agent"},
        "grade-scripts": data | {"metrics"},
        "grade-compiled": data | {"metrics"},
        "scheduler": data | {"metrics"},
        "api": data | {"to-api"},
        "migrate": data,
        "flower": {"names", "to-broker"},
    }
    for one in policies.values():
        for rule in (*one["spec"].get("egress", []), *one["spec"].get("ingress", [])):
            assert rule.get("ports"), one["metadata"]["name"]
            peers = rule.get("to") or rule.get("from")
            assert peers
            assert {"cidr": "0.0.0.0/0"} not in [peer.get("ipBlock") for peer in peers]
            farm = [p for p in peers if "namespaceSelector" not in p and "ipBlock" not in p]
            door = one["metadata"]["name"] in {"agent-to-gateway", "gateway-from-agent"}
            assert bool(farm) == door, "no other pod of the farm talks to another one"
    (outside,) = policies["to-providers"]["spec"]["egress"]
    assert outside["ports"] == [{"protocol": "TCP", "port": 443}]
    assert "10.0.0.0/8" in outside["to"][0]["ipBlock"]["except"]


@both
def test_every_replicated_role_may_be_disturbed_only_one_by_one(overlay: str) -> None:
    budgets = of_kind(rendered(overlay), "PodDisruptionBudget")
    deployments = of_kind(rendered(overlay), "Deployment")
    assert set(budgets) == set(deployments) - ALONE
    for name, one in budgets.items():
        labels = deployments[name]["spec"]["template"]["metadata"]["labels"]
        assert _selects(one["spec"]["selector"], labels)
        replicas = deployments[name]["spec"].get("replicas", 1)
        assert one["spec"].get("minAvailable", 0) < replicas, "a node could never be drained"


def test_two_schedulers_stand_ready() -> None:
    assert of_kind(rendered("cluster"), "Deployment")["scheduler"]["spec"]["replicas"] == 2


@both
def test_the_grading_groups_together_serve_every_language(overlay: str) -> None:
    served: list[str] = []
    for name, pod in pods(overlay).items():
        words = container(pod).get("args", [])
        if name.startswith("grade-"):
            served += words[words.index("--languages") + 1].split(",")
        if name == "agent":
            assert "--languages" not in words
    assert sorted(served) == sorted(LANGUAGES)


def scaled() -> dict[str, Document]:
    return of_kind(rendered("cluster"), "ScaledObject")


def query_of(name: str) -> str:
    (trigger,) = scaled()[name]["spec"]["triggers"]
    return trigger["metadata"]["query"]


def test_every_queue_counts_for_the_one_deployment_that_serves_it() -> None:
    counted: dict[str, str] = {}
    for name in scaled():
        for queue in re.findall(r"'((?:agent|grade|subject)\.[a-z-]+)'", query_of(name)):
            assert queue not in counted, f"{queue} counts twice"
            counted[queue] = name
    assert set(counted) == set(all_queues(LANGUAGES))
    for name, pod in pods("cluster").items():
        words = container(pod).get("args", [])
        if name in HANDS:
            role = "agent" if name == "agent" else "grade"
            mine = {queue for queue, by in counted.items() if by == name}
            assert {queue.split(".")[0] == "agent" for queue in mine} == {role == "agent"}
            if "--languages" in words:
                listed = set(words[words.index("--languages") + 1].split(","))
                assert {queue.split(".")[1] for queue in mine} == listed


def test_whoever_is_scaled_is_not_set_back_by_the_manifests() -> None:
    deployments = of_kind(rendered("cluster"), "Deployment")
    assert set(scaled()) == HANDS
    for name, one in scaled().items():
        assert one["spec"]["scaleTargetRef"]["name"] == name
        assert "replicas" not in deployments[name]["spec"]
        words = container(deployments[name]["spec"]["template"])["args"]
        (trigger,) = one["spec"]["triggers"]
        assert trigger["metadata"]["targetQueryValue"] == words[words.index("--concurrency") + 1]
        # The counts stop at 1,000 for each kind; no maximum may lie beyond them.
        assert one["spec"]["maxReplicaCount"] * int(trigger["metadata"]["targetQueryValue"]) <= 1000
