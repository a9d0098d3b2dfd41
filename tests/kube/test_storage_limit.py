"""C1: the control plane has the state volume, so its node takes one claim less. The API server sees to it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from raya import manifests
from raya.addressing import CONTROL_PLANE_NAME
from tests import machines
from tests.kube.lab.api_server import ApiServer

DRIVER = "csi.hetzner.cloud"
PATIENCE_S = 60


@pytest.fixture
def deployed(api: ApiServer) -> Iterator[ApiServer]:
    """An API server that has read the storage driver's manifest."""
    api.wipe()
    rendered = manifests.render(machines.manifest_values(), project_root=machines.PROJECT_ROOT)
    api.kubectl("apply", "--server-side", "--filename", "-", given=rendered["raya-hcloud-csi.yaml"])
    # The API server takes a policy up some moments after it was written.
    deadline = time.monotonic() + PATIENCE_S
    while registered(api, CONTROL_PLANE_NAME, driver(16), dry_run=True) != {DRIVER: 15}:
        assert time.monotonic() < deadline, "the policy was never taken up"
        time.sleep(0.1)
    yield api
    api.wipe()


def driver(count: int | None, *, name: str = DRIVER, server: str = "4711") -> dict[str, Any]:
    """What a kubelet writes when a driver registers."""
    said: dict[str, Any] = {"name": name, "nodeID": server, "topologyKeys": [f"{name}/location"]}
    return said if count is None else said | {"allocatable": {"count": count}}


def registered(api: ApiServer, node: str, *drivers: dict[str, Any], dry_run: bool = False) -> dict[str, Any]:
    """What the API server made of it: driver -> how many volumes the scheduler may count on."""
    csi_node = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": node},
        "spec": {"drivers": list(drivers)},
    }
    words = ["apply", "--filename", "-", "--output", "json", *(["--dry-run=server"] if dry_run else [])]
    written = json.loads(api.kubectl(*words, given=yaml.safe_dump(csi_node)))
    return {
        each["name"]: each.get("allocatable", {}).get("count") for each in written["spec"]["drivers"] or []
    }


def test_the_control_plane_takes_fifteen_claims_and_an_agent_sixteen(deployed: ApiServer) -> None:
    assert registered(deployed, CONTROL_PLANE_NAME, driver(16)) == {DRIVER: 15}
    assert registered(deployed, "agent-0", driver(16)) == {DRIVER: 16}


def test_it_stays_so_when_the_driver_registers_again(deployed: ApiServer) -> None:
    registered(deployed, CONTROL_PLANE_NAME, driver(16))
    assert registered(deployed, CONTROL_PLANE_NAME, driver(16)) == {DRIVER: 15}
    # What the kubelet of a rebuilt server does: the old registration goes, the new server's id comes.
    assert registered(deployed, CONTROL_PLANE_NAME) == {}
    assert registered(deployed, CONTROL_PLANE_NAME, driver(16, server="4712")) == {DRIVER: 15}


def test_a_node_without_the_driver_or_with_another_one_is_let_alone(deployed: ApiServer) -> None:
    assert registered(deployed, CONTROL_PLANE_NAME) == {}
    other = driver(64, name="other.example.org")
    assert registered(deployed, CONTROL_PLANE_NAME, other) == {"other.example.org": 64}
    both = registered(deployed, CONTROL_PLANE_NAME, other, driver(16))
    assert both == {"other.example.org": 64, DRIVER: 15}


@pytest.mark.parametrize("count", [None, 8])
def test_a_driver_that_says_less_or_nothing_is_believed(deployed: ApiServer, count: int | None) -> None:
    assert registered(deployed, CONTROL_PLANE_NAME, driver(count)) == {DRIVER: count}
