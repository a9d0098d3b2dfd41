"""Deletes the Node objects of agents that the fleet file no longer has.

Runs in the cluster every ten minutes (node-reaper.yaml), with nothing but Python's standard library. A Node
goes only if all of this holds: it carries the label that says its agent came from the fleet file, it is named
like an agent, the fleet does not have its position, and it has been NotReady for half an hour. On any doubt
nothing is deleted, and the log says why. Its volume attachments and its password go with it: the first would
keep the volumes from attaching anywhere else, the second would refuse a later machine of that name.
"""

import datetime
import json
import os
import re
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

FLEET_FILE = Path(os.environ.get("FLEET_FILE", "/fleet/agents.json"))
ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
NAMESPACE = "kube-system"
FLEET_LABEL = "raya.dev/fleet"
CONTROL_PLANE_LABELS = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
NOT_READY_FOR = datetime.timedelta(minutes=30)
AGENT_NAME = re.compile(r"agent-(0|[1-9][0-9]*)")

Object = dict[str, Any]


class Doubt(Exception):
    """A reason to delete nothing."""


def main() -> int:
    try:
        fleet = read_fleet(FLEET_FILE.read_text(encoding="utf-8"))
        api = Api()
        nodes = api.list("/api/v1/nodes")
        gone = nodes_to_delete(nodes, fleet, datetime.datetime.now(datetime.UTC))
    except (Doubt, OSError, ValueError) as error:
        print(f"nothing is deleted: {error}", file=sys.stderr)
        return 1
    for name in gone:
        reap(api, name)
    print(f"{len(fleet)} agents in the fleet, {len(nodes)} nodes, {len(gone)} deleted")
    return 0


def read_fleet(text: str) -> set[str]:
    """Return the names of the agents that the fleet file has; retired positions (null) are not among them."""
    document = json.loads(text)
    entries = document.get("agents") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(
        entry is None or isinstance(entry, dict) for entry in entries
    ):
        raise Doubt("the fleet file has no list of agents in the form it should have")
    names = {f"agent-{position}" for position, entry in enumerate(entries) if entry is not None}
    if not names:
        raise Doubt("the fleet file has no agent at all")
    return names


def nodes_to_delete(nodes: list[Object], fleet: set[str], now: datetime.datetime) -> list[str]:
    """Return the names of the nodes that should not exist any more."""
    if not any(not_ready_since(node) is None for node in nodes):
        raise Doubt("not one node is Ready; whatever is wrong, it is not a node too many")
    names = []
    for node in nodes:
        name, since = node["metadata"]["name"], not_ready_since(node)
        if is_fleet_agent(node) and name not in fleet and since is not None and now - since >= NOT_READY_FOR:
            names.append(name)
    return names


def is_fleet_agent(node: Object) -> bool:
    labels = node["metadata"].get("labels") or {}
    if any(label in labels for label in CONTROL_PLANE_LABELS):
        return False
    return FLEET_LABEL in labels and AGENT_NAME.fullmatch(node["metadata"]["name"]) is not None


def not_ready_since(node: Object) -> datetime.datetime | None:
    """Return since when a node is not Ready; None while it is, or when it never said so."""
    for condition in node.get("status", {}).get("conditions") or []:
        if condition["type"] == "Ready" and condition["status"] != "True":
            return datetime.datetime.fromisoformat(condition["lastTransitionTime"])
    return None


def reap(api: "Api", name: str) -> None:
    print(f"{name} is not in the fleet and has been NotReady for long: deleting it")
    api.delete(f"/api/v1/nodes/{name}")
    for attachment in api.list("/apis/storage.k8s.io/v1/volumeattachments"):
        if attachment["spec"]["nodeName"] == name:
            api.delete(f"/apis/storage.k8s.io/v1/volumeattachments/{attachment['metadata']['name']}")
    api.delete(f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}.node-password.k3s")


class Api:
    """The API server, as the pod's own service account sees it."""

    def __init__(self) -> None:
        host = os.environ["KUBERNETES_SERVICE_HOST"]
        self._url = f"https://{host}:{os.environ['KUBERNETES_SERVICE_PORT']}"
        self._token = (ACCOUNT / "token").read_text(encoding="utf-8")
        self._tls = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))

    def list(self, path: str) -> list[Object]:
        items: list[Object] = self._call("GET", path)["items"]
        return items

    def delete(self, path: str) -> None:
        try:
            self._call("DELETE", path)
        except urllib.error.HTTPError as error:
            # Gone already: that is what was wanted.
            if error.code != 404:
                raise

    def _call(self, method: str, path: str) -> Object:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        request = urllib.request.Request(self._url + path, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=30, context=self._tls) as response:
            answer: Object = json.load(response)
        return answer


if __name__ == "__main__":
    sys.exit(main())
