"""Deletes the Node objects of agents that the fleet file no longer has, and what would outlive them.

Runs in the cluster every ten minutes (node-reaper.yaml), with nothing but Python's standard library. A Node
goes only if all of this holds: it carries the label that says its agent came from the fleet file, it is named
like an agent, it is no control plane, the fleet does not have its position, and it has been NotReady for half
an hour. Its password goes with it, which would refuse a later machine of that name, and so do its volume
attachments, which keep the volumes from attaching anywhere else. So do those of a machine that was rebuilt
under its old name.

Everything is read and judged before the first deletion. On any doubt nothing is deleted and the log says why.
"""

import datetime
import http.client
import json
import os
import re
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLEET_LABEL = "raya.dev/fleet"
CONTROL_PLANE_LABEL = "node-role.kubernetes.io/control-plane"
NOT_READY_FOR = datetime.timedelta(minutes=30)
AGENT_NAME = re.compile(r"agent-(0|[1-9][0-9]*)")
# external-attacher writes the driver's own id of the machine, Hetzner's server number, when it attaches.
ATTACHED_MACHINE = "csi.alpha.kubernetes.io/node-id"

NODES = "/api/v1/nodes"
PASSWORDS = "/api/v1/namespaces/kube-system/secrets"
ATTACHMENTS = "/apis/storage.k8s.io/v1/volumeattachments"
CSI_NODES = "/apis/storage.k8s.io/v1/csinodes"

Object = dict[str, Any]


class Doubt(Exception):
    """A reason to delete nothing, or nothing more: a sentence."""


@dataclass(frozen=True)
class Node:
    """What is judged of a Node. `not_ready_since` is None while it is Ready, and when it never said so."""

    name: str
    labels: Collection[str]
    ready: bool
    not_ready_since: datetime.datetime | None
    seen: Object

    @classmethod
    def read(cls, seen: Object) -> "Node":
        conditions = seen.get("status", {}).get("conditions") or []
        said: Object = next((each for each in conditions if each["type"] == "Ready"), {})
        ready, since = said.get("status") == "True", said.get("lastTransitionTime")
        return cls(
            name=seen["metadata"]["name"],
            labels=frozenset(seen["metadata"].get("labels") or {}),
            ready=ready,
            not_ready_since=datetime.datetime.fromisoformat(since) if since and not ready else None,
            seen=seen,
        )

    @property
    def is_agent(self) -> bool:
        return CONTROL_PLANE_LABEL not in self.labels and AGENT_NAME.fullmatch(self.name) is not None


def read_fleet(file: Path) -> set[str]:
    """Return the names of the agents that the fleet file has; retired positions (null) are not among them."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Doubt(f"the fleet file cannot be read: {error}") from None
    try:
        document = json.loads(text, object_pairs_hook=_without_repetition)
    except ValueError as error:
        raise Doubt(f"the fleet file is not the JSON that it should be: {error}") from None
    entries = document.get("agents") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(each is None or isinstance(each, dict) for each in entries):
        raise Doubt("the fleet file has no list of agents in the form it should have")
    names = {f"agent-{position}" for position, entry in enumerate(entries) if entry is not None}
    if not names:
        raise Doubt("the fleet file has no agent at all")
    return names


def _without_repetition(pairs: list[tuple[str, Any]]) -> Object:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def surplus(nodes: Collection[Node], fleet: set[str]) -> list[Node]:
    """Return the agents that came from the fleet file and are not in it any more, Ready or not."""
    if not any(node.ready for node in nodes):
        raise Doubt("not one node is Ready; whatever is wrong, it is not a node too many")
    return [node for node in nodes if node.is_agent and FLEET_LABEL in node.labels and node.name not in fleet]


def reason_to_wait(node: Node, now: datetime.datetime) -> str | None:
    """Return why a surplus node stays for now; None when it can go."""
    if node.ready:
        return "it is Ready"
    if node.not_ready_since is None:
        return "it never said whether it is Ready"
    if now - node.not_ready_since < NOT_READY_FOR:
        return f"it is NotReady only since {node.not_ready_since:%H:%M:%S}"
    return None


def stale_attachments(
    attachments: Iterable[Object], csi_nodes: Iterable[Object], left: Iterable[Node], fleet: set[str]
) -> Iterator[tuple[Object, str]]:
    """Yield the volume attachments of agents that are no more, with the reason. `left`: the Nodes that stay.

    A machine that was rebuilt under its old name is told by the number that the driver gives it: the
    attachment has the one of the machine that it was made for, the CSINode the one of today's machine. While
    one of the two is unknown, or the attachment is not done yet, it may be right, and stays.
    """
    machines = {
        (each["metadata"]["name"], driver["name"]): driver["nodeID"]
        for each in csi_nodes
        for driver in each["spec"].get("drivers") or []
    }
    agents = {node.name: node.is_agent for node in left}
    for attachment in attachments:
        metadata, spec = attachment["metadata"], attachment["spec"]
        name = spec["nodeName"]
        if "deletionTimestamp" in metadata or not AGENT_NAME.fullmatch(name):
            continue
        if name not in agents and name not in fleet:
            yield attachment, f"{name} is no more"
        elif agents.get(name) and attachment.get("status", {}).get("attached"):
            then = (metadata.get("annotations") or {}).get(ATTACHED_MACHINE)
            today = machines.get((name, spec["attacher"]))
            if then and today and then != today:
                yield attachment, f"{name} was machine {then} and is machine {today} now"


class Api:
    """The API server, as the pod's own service account sees it."""

    def __init__(self, account: Path) -> None:
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
        self._url = f"https://{host}:{port}"
        self._token = (account / "token").read_text(encoding="utf-8")
        self._tls = ssl.create_default_context(cafile=str(account / "ca.crt"))
        # Python 3.13 and later do so by themselves. Older ones, which may run the tests, then see the same.
        self._tls.verify_flags |= ssl.VERIFY_X509_STRICT

    def list(self, path: str) -> list[Object]:
        status, answer = self._call("GET", path)
        if status != 200:
            raise Doubt(f"the API server does not list {path}: {answer.get('message', status)}")
        return answer["items"] or []

    def delete(self, path: str, seen: Object | None = None) -> bool:
        """Delete an object, and tell whether it is gone: it stays when it is no longer as it was `seen`."""
        metadata = seen["metadata"] if seen else {}
        as_seen = {key: metadata[key] for key in ("uid", "resourceVersion") if key in metadata}
        status, answer = self._call("DELETE", path, {"preconditions": as_seen})
        if status not in (200, 202, 404, 409):
            raise Doubt(f"the API server does not delete {path}: {answer.get('message', status)}")
        return status != 409

    def _call(self, method: str, path: str, body: Object | None = None) -> tuple[int, Object]:
        request = urllib.request.Request(
            self._url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
        )
        try:
            try:
                with urllib.request.urlopen(request, timeout=30, context=self._tls) as response:
                    return response.status, json.load(response)
            except urllib.error.HTTPError as refusal:
                with refusal:
                    return refusal.code, json.load(refusal)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Doubt(f"the API server gave no answer to {method} {path}: {error}") from None


def reap(api: Api, fleet: set[str]) -> str:
    """Look, judge, delete; return what was done. Every list is read before the first deletion."""
    # In this order: of what an attachment belongs to, nothing older than the attachment itself is looked at.
    attachments = api.list(ATTACHMENTS)
    csi_nodes = api.list(CSI_NODES)
    nodes = [Node.read(each) for each in api.list(NODES)]
    now = datetime.datetime.now(datetime.UTC)
    left = {node.name: node for node in nodes}
    for node in surplus(nodes, fleet):
        waits = reason_to_wait(node, now)
        if waits is None and not _delete_node(api, node):
            waits = "it changed just now"
        if waits is None:
            del left[node.name]
        print(f"{node.name} is not in the fleet: {f'kept, {waits}' if waits else 'deleted'}")
    for attachment, reason in stale_attachments(attachments, csi_nodes, left.values(), fleet):
        name = attachment["metadata"]["name"]
        gone = api.delete(f"{ATTACHMENTS}/{name}", attachment)
        print(f"volume attachment {name}: {reason}: {'deleted' if gone else 'kept, it changed just now'}")
    return f"{len(fleet)} agents in the fleet, {len(nodes)} nodes, {len(nodes) - len(left)} of them deleted"


def _delete_node(api: Api, node: Node) -> bool:
    # The password first: whatever stops this run, the Node is still there for the next one to go on with.
    # A machine that comes back all the same registers its password again.
    api.delete(f"{PASSWORDS}/{node.name}.node-password.k3s")
    return api.delete(f"{NODES}/{node.name}", node.seen)


def main() -> int:
    account = Path(os.environ.get("SERVICE_ACCOUNT", "/var/run/secrets/kubernetes.io/serviceaccount"))
    try:
        fleet = read_fleet(Path(os.environ["FLEET_FILE"]))
        print(reap(Api(account), fleet))
    except Doubt as doubt:
        print(f"nothing is deleted from here on: {doubt}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
