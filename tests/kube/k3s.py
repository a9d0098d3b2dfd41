"""What an API server notices of k3s' deploy controller. k3s itself is not run here: this stands in for it.

k3s looks at its folder every 15 seconds: each file on its own, in the order of the names, and again the next
time what could not be applied. One file's failure is no other's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.kube.lab.api_server import ApiServer, KubectlError

FIELD_MANAGER = "deploy"
Object = dict[str, Any]
# Files whose objects need a namespace or a CRD of another file; the second look finds it.
LOOKS = 2


def look(api: ApiServer, files: Mapping[str, str]) -> dict[str, str]:
    """One look at the folder. File name -> kubectl's words, for each file that could not be applied whole."""
    failures: dict[str, str] = {}
    for name in sorted(files):
        try:
            apply(api, files[name], FIELD_MANAGER)
        except KubectlError as error:
            failures[name] = str(error)
    return failures


def deploy(api: ApiServer, files: Mapping[str, str]) -> None:
    """As many looks as it takes at most; a file that still fails then is an AssertionError."""
    failures: dict[str, str] = {}
    waiting = dict(files)
    for _ in range(LOOKS):
        failures = look(api, waiting)
        waiting = {name: files[name] for name in failures}
    assert failures == {}


def apply(api: ApiServer, text: str, manager: str) -> None:
    """Server-side, and strictly: a field that the API server does not know is an error."""
    api.kubectl(
        "apply", "--server-side", "--validate=strict", f"--field-manager={manager}", "-f", "-", given=text
    )


def stored(api: ApiServer, text: str) -> dict[str, Object]:
    """What the API server has of the objects in a YAML text: "kind namespace/name" -> the object.

    Each with its version, which changes with every write. Only those of Flux are without: their CRDs have a
    default status, and the API server writes it down at the second write when no controller wrote one before.
    """
    answer = json.loads(api.kubectl("get", "--output=json", "--show-managed-fields", "-f", "-", given=text))
    found: list[Object] = answer["items"] if answer["kind"] == "List" else [answer]
    for each in found:
        if ".fluxcd.io/" in each["apiVersion"]:
            del each["metadata"]["resourceVersion"]
    return {name_of(each): each for each in found}


def name_of(item: Object) -> str:
    """ "kind namespace/name"."""
    metadata = item["metadata"]
    return f"{item['kind']} {metadata.get('namespace', '')}/{metadata['name']}"
