"""What somebody does in the vendors' consoles, past the program: any call of their APIs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import httpx

from tests.cloud import PROJECT, TOKEN, RunningCloud

_PATIENCE_S = 30.0


def hetzner(
    cloud: RunningCloud, method: str, path: str, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """One call below /v1; an action that it starts is over when this returns."""
    answer = _call(method, f"{cloud.hcloud_endpoint}/{path}", body)
    if action := answer.get("action"):
        _wait(f"{cloud.hcloud_endpoint}/actions/{action['id']}")
    return answer


def _wait(action: str) -> None:
    end = time.monotonic() + _PATIENCE_S
    while _call("GET", action, None)["action"]["status"] == "running":
        assert time.monotonic() < end
        time.sleep(0.05)


def google(
    cloud: RunningCloud, method: str, path: str, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """One call below the service's root, such as ``iam/v1/projects/…``."""
    return _call(method, f"{cloud.google_endpoint}/{path}", body)


def _call(method: str, url: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = httpx.request(method, url, headers=headers, json=body, timeout=30).raise_for_status()
    found: dict[str, Any] = answer.json() if answer.content else {}
    return found


def the(cloud: RunningCloud, plural: str, name: str) -> dict[str, Any]:
    """The one object of that kind and name."""
    (found,) = [each for each in cloud.hetzner(plural) if each["name"] == name]
    return found


def accounts(cloud: RunningCloud) -> list[dict[str, Any]]:
    """The service accounts of the Google project."""
    found = google(cloud, "GET", f"iam/v1/projects/{PROJECT}/serviceAccounts").get("accounts", [])
    return list(found)


def members(cloud: RunningCloud, role: str = "roles/dns.admin") -> set[str]:
    """Who has the role in the Google project."""
    policy = google(cloud, "POST", f"cloudresourcemanager/v1/projects/{PROJECT}:getIamPolicy", {})
    granted = [each["members"] for each in policy.get("bindings", []) if each["role"] == role]
    return {member for names in granted for member in names}


def record(cloud: RunningCloud, zone: str, name: str, kind: str) -> dict[str, Any] | None:
    """One record set of a zone, or None."""
    found = [each for each in cloud.records(zone) if (each["name"], each["type"]) == (name, kind)]
    return found[0] if found else None


def rewrite(cloud: RunningCloud, zone: str, old: Mapping[str, Any], rrdatas: list[str] | None) -> None:
    """Gives a record set other data, or removes it."""
    (name,) = [each["name"] for each in cloud.zones() if each["dnsName"] == zone]
    plain = {key: old[key] for key in ("name", "type", "ttl", "rrdatas")}
    change: dict[str, Any] = {"deletions": [plain]}
    if rrdatas is not None:
        change["additions"] = [{**plain, "rrdatas": rrdatas}]
    google(cloud, "POST", f"dns/v1/projects/{PROJECT}/managedZones/{name}/changes", change)
