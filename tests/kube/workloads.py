"""The pods that a set of objects asks for, and what they need in order to run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.kube.lab.api_server import ApiServer

Object = dict[str, Any]
_WITH_TEMPLATE = ("Deployment", "DaemonSet", "StatefulSet", "Job")
# A version with at least two numbers, or the digest of what is meant.
_PINNED = re.compile(r"[^@]+:v?\d+\.\d+\S*|\S+@sha256:[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Pod:
    """What an object starts. `owner` is "kind name"."""

    owner: str
    namespace: str
    template: Object

    @property
    def spec(self) -> Object:
        return dict(self.template["spec"])

    @property
    def containers(self) -> list[Object]:
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]

    @property
    def arguments(self) -> list[str]:
        """Of its only container."""
        (container,) = self.containers
        return list(container.get("args", []))

    def secrets(self) -> set[str]:
        """The Secrets that it does not start without."""
        mounted = [
            volume["secret"]["secretName"]
            for volume in self.spec.get("volumes", [])
            if "secret" in volume and not volume["secret"].get("optional")
        ]
        read = [
            entry["valueFrom"]["secretKeyRef"]["name"]
            for container in self.containers
            for entry in container.get("env", [])
            if "secretKeyRef" in entry.get("valueFrom", {})
        ]
        return {*mounted, *read}

    def unpinned_images(self) -> list[str]:
        images = [str(container["image"]) for container in self.containers]
        return [image for image in images if not _PINNED.fullmatch(image) or ":latest" in image]


def pods(objects: Iterable[Object]) -> Iterator[Pod]:
    """The pods of every kind of object that starts some."""
    for item in objects:
        spec = item.get("spec", {})
        if item["kind"] == "CronJob":
            spec = spec["jobTemplate"]["spec"]
        elif item["kind"] not in _WITH_TEMPLATE:
            continue
        metadata = item["metadata"]
        owner = f"{item['kind']} {metadata['name']}"
        yield Pod(owner=owner, namespace=metadata["namespace"], template=spec["template"])


def the(objects: Iterable[Object], kind: str, name: str) -> Object:
    """The one object of that kind and name."""
    (found,) = [item for item in objects if item["kind"] == kind and item["metadata"]["name"] == name]
    return found


def admit(api: ApiServer, pod: Pod) -> None:
    """KubectlError when the API server would not create it: no such account, or more than is allowed."""
    metadata = {
        "labels": pod.template["metadata"].get("labels", {}),
        "name": "probe",
        "namespace": pod.namespace,
    }
    probe = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod.spec}
    api.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", given=json.dumps(probe))
