"""Nodes as kubelets and controllers leave them, and what hangs on them, for a real API server."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.kube.lab.api_server import ApiServer

DRIVER = "csi.hetzner.cloud"
FLEET_LABEL = "raya.dev/fleet"
CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane"

Object = dict[str, Any]


def node(
    name: str, *, ready: str | None, minutes: int | None = 60, labels: Mapping[str, str] | None = None
) -> Object:
    """A Node that has been in its state for some minutes; None: it does not say for how long.

    `ready`: True, False, Unknown; None: it never said.
    """
    # What comes before Ready in the list is about something else.
    conditions = [{"type": "DiskPressure", "status": "False"}]
    if ready is not None:
        conditions.append({"type": "Ready", "status": ready, **_since(minutes)})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": dict({FLEET_LABEL: "file"} if labels is None else labels)},
        "status": {"conditions": conditions},
    }


def _since(minutes: int | None) -> dict[str, str]:
    if minutes is None:
        return {}
    moment = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=minutes)
    return {"lastTransitionTime": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}


def password(name: str) -> Object:
    """The Secret in which k3s keeps the hash of a node's password."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"{name}.node-password.k3s", "namespace": "kube-system"},
        "stringData": {"hash": "$1:throw:away"},
        "immutable": True,
    }


def attachment(name: str, *, node: str, machine: str | None) -> Object:
    """A VolumeAttachment as the attach/detach controller makes it; `machine` is what the attacher adds."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {
            "name": name,
            "annotations": {"csi.alpha.kubernetes.io/node-id": machine} if machine else {},
        },
        "spec": {
            "attacher": DRIVER,
            "nodeName": node,
            "source": {"persistentVolumeName": f"pvc-of-{name}"},
        },
    }


def csi_node(name: str, *, machine: str | None) -> Object:
    """What a node's kubelet says of its drivers; None: none has registered yet."""
    drivers = [{"name": DRIVER, "nodeID": machine, "topologyKeys": []}] if machine else []
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": name},
        "spec": {"drivers": drivers},
    }


def put(api: ApiServer, objects: Iterable[Object]) -> None:
    """Create all of them."""
    items = list(objects)
    api.kubectl(
        "create", "--filename=-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    )


def mark_attached(api: ApiServer, *names: str) -> None:
    """As the attacher does when the cloud has attached the volume."""
    patch = json.dumps({"status": {"attached": True}})
    api.kubectl(
        "patch", "volumeattachment", *names, "--subresource=status", "--type=merge", f"--patch={patch}"
    )


def names(api: ApiServer, kind: str) -> set[str]:
    """The names of what there is of a kind, in kube-system where it has a namespace."""
    found = api.kubectl("get", kind, "--namespace=kube-system", "--output=name").split()
    return {name.partition("/")[2] for name in found}
