"""What holds for every pod that `deploy/` brings, and for the fleet that it carries."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import machines
from tests.kube import workloads
from tests.kube.lab.api_server import ApiServer
from tests.kube.workloads import Pod

DEPLOY = machines.PROJECT_ROOT / "deploy"
# A tag says to people what the digest says to the machine.
PINNED = re.compile(r"[a-z0-9.-]+\.[a-z]+/[a-z0-9/-]+:[0-9]+\.[0-9]+\.[0-9]+[a-z0-9.-]*@sha256:[0-9a-f]{64}")
# Gone, unmaintained, or moved behind a login.
ABANDONED = ("bitnami", "k8s.gcr.io", "gcr.io/google")

Object = dict[str, Any]


def built(api: ApiServer, folder: Path = DEPLOY) -> list[Object]:
    return list(yaml.safe_load_all(api.kubectl("kustomize", folder)))


@pytest.fixture(scope="module")
def pods(api: ApiServer) -> list[Pod]:
    return list(workloads.pods(built(api)))


def test_every_pod_is_looked_at(pods: list[Pod]) -> None:
    assert {pod.owner for pod in pods} == {"Deployment hello", "CronJob node-reaper"}


def test_n2_images_are_pinned_by_digest_and_maintained(pods: list[Pod]) -> None:
    for image in [container["image"] for pod in pods for container in pod.containers]:
        assert PINNED.fullmatch(image)
        assert not any(word in image for word in ABANDONED)


def test_pods_ask_for_what_they_need_and_have_an_upper_bound(pods: list[Pod]) -> None:
    for resources in [container["resources"] for pod in pods for container in pod.containers]:
        assert set(resources["requests"]) == {"cpu", "memory"}
        # A limit on the processor only makes a pod slow while nobody else needs it.
        assert set(resources["limits"]) == {"memory"}


def test_pods_meet_the_strictest_pod_security_standard(api: ApiServer, pods: list[Pod]) -> None:
    """Also the reaper's, whose namespace cannot ask for it: k3s' own things live there."""
    api.kubectl("create", "namespace", "strict")
    api.kubectl("label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted")
    try:
        for pod in pods:
            account = pod.spec.get("serviceAccountName", "default")
            api.kubectl("create", "serviceaccount", account, "--namespace=strict")
            workloads.admit(api, dataclasses.replace(pod, namespace="strict"))
    finally:
        api.wipe()


def test_root_file_systems_cannot_be_written(pods: list[Pod]) -> None:
    for container in [container for pod in pods for container in pod.containers]:
        assert container["securityContext"]["readOnlyRootFilesystem"] is True


@pytest.mark.parametrize("agents", [[{}, {}, {}], [{}, None], [{"serverType": "cx33"}]])
def test_another_fleet_is_another_config_map_and_nothing_else(
    api: ApiServer, tmp_path: Path, agents: list[object]
) -> None:
    copy = shutil.copytree(DEPLOY, tmp_path / "deploy", ignore=shutil.ignore_patterns("__pycache__"))
    before = built(api, copy)
    file = copy / "fleet" / "agents.json"
    file.write_text(json.dumps({"agents": agents}))
    after = built(api, copy)
    assert len(before) == len(after)
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    ((old, new),) = changed
    assert new == {**old, "data": {"agents.json": file.read_text()}}
    assert (new["kind"], new["metadata"]["namespace"], new["metadata"]["name"]) == (
        "ConfigMap",
        "kube-system",
        "fleet",
    )
