"""What holds for every pod that `deploy/` brings, and for the fleet that it carries."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import machines
from tests.kube.lab.api_server import ApiServer

DEPLOY = machines.PROJECT_ROOT / "deploy"
# A tag says to people what the digest says to the machine.
PINNED = re.compile(r"[a-z0-9.-]+\.[a-z]+/[a-z0-9/-]+:[0-9]+\.[0-9]+\.[0-9]+[a-z0-9.-]*@sha256:[0-9a-f]{64}")
# Gone, unmaintained, or moved behind a login.
ABANDONED = ("bitnami", "k8s.gcr.io", "gcr.io/google")

Object = dict[str, Any]


def built(api: ApiServer, folder: Path = DEPLOY) -> list[Object]:
    return list(yaml.safe_load_all(api.kubectl("kustomize", folder)))


def pods(objects: list[Object]) -> Iterator[tuple[str, Object]]:
    """Name and pod template of everything that makes pods."""
    for item in objects:
        spec = item.get("spec") or {}
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            yield item["metadata"]["name"], template


def test_every_pod_is_looked_at(api: ApiServer) -> None:
    assert {name for name, _ in pods(built(api))} == {"hello", "node-reaper"}


def test_n2_images_are_pinned_by_digest_and_maintained(api: ApiServer) -> None:
    for name, pod in pods(built(api)):
        for container in pod["spec"]["containers"]:
            assert PINNED.fullmatch(container["image"]), name
            assert not any(word in container["image"] for word in ABANDONED), name


def test_pods_ask_for_what_they_need_and_have_an_upper_bound(api: ApiServer) -> None:
    for name, pod in pods(built(api)):
        for container in pod["spec"]["containers"]:
            resources = container["resources"]
            assert set(resources["requests"]) == {"cpu", "memory"}, name
            # A limit on the processor only makes a pod slow while nobody else needs it.
            assert set(resources["limits"]) == {"memory"}, name


def test_pods_meet_the_strictest_pod_security_standard(api: ApiServer) -> None:
    """Also the reaper's, whose namespace cannot ask for it: k3s' own things live there."""
    api.kubectl("create", "namespace", "strict")
    api.kubectl("label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted")
    api.kubectl("create", "serviceaccount", "default", "--namespace=strict")
    try:
        for name, template in pods(built(api)):
            spec = {**template["spec"], "serviceAccountName": "default"}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
            create = ("create", "--namespace=strict", "--dry-run=server", "--filename=-")
            assert "violates" not in api.kubectl(*create, given=json.dumps(pod))
    finally:
        api.wipe()


def test_root_file_systems_cannot_be_written(api: ApiServer) -> None:
    for name, pod in pods(built(api)):
        for container in pod["spec"]["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True, name


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
