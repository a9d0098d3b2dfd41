"""What is in the same accounts and is not the cluster's; recovery must leave every byte of it alone."""

from __future__ import annotations

from typing import Any

import httpx

from tests.cloud import PROJECT, TOKEN, RunningCloud

_PLURALS = ("servers", "volumes", "networks", "firewalls")
# Of other clusters, whose names begin like this one's or stand in front of its.
_OTHER = {"managed_by": "raya", "cluster": "local-2", "role": "agent"}
_ACCOUNT = "external-dns-local-aaaaaa"


class Strangers:
    """Plants them, and shows them as they are."""

    def __init__(self, cloud: RunningCloud) -> None:
        self._cloud = cloud
        self._ids: dict[str, list[int]] = {plural: [] for plural in _PLURALS}
        image = cloud.hetzner("images")[0]["id"]
        for name, labels in (("agent-00x", {}), ("two-agent-0", _OTHER), ("control-plane-2", _OTHER)):
            self._hetzner(
                "servers",
                {"name": name, "server_type": "cx23", "image": image, "location": "hel1", "labels": labels},
            )
        for name, labels in (("scratch", {}), ("local-2-state", _OTHER)):
            self._hetzner("volumes", {"name": name, "size": 10, "location": "hel1", "labels": labels})
        for name, labels in (("local-old", {}), ("local-2", _OTHER)):
            self._hetzner("networks", {"name": name, "ip_range": "10.0.0.0/16", "labels": labels})
            self._hetzner("firewalls", {"name": name, "rules": [], "labels": labels})
        cloud.add_record("example.org.", "www.example.org.", "A", ["192.0.2.7"])
        cloud.add_record("example.org.", "k8s2.example.org.", "NS", ["ns.example.net."])
        self._account()

    def _hetzner(self, plural: str, body: dict[str, Any]) -> None:
        made = self._call("POST", f"{self._cloud.hcloud_endpoint}/{plural}", body)[plural.removesuffix("s")]
        self._ids[plural].append(made["id"])

    def _account(self) -> None:
        """Named like one of the cluster's, by another stack, with a key and the same role."""
        google = self._cloud.google_endpoint
        display = {"displayName": "external-dns of the cluster local"}
        accounts = f"{google}/iam/v1/projects/{PROJECT}/serviceAccounts"
        account = self._call("POST", accounts, {"accountId": _ACCOUNT, "serviceAccount": display})
        self.account = account["name"]
        self._call("POST", f"{google}/iam/v1/{self.account}/keys", {})
        self.member = f"serviceAccount:{account['email']}"
        policy = self._policy()
        policy.setdefault("bindings", []).append({"role": "roles/dns.admin", "members": [self.member]})
        self._call("POST", f"{self._manager}:setIamPolicy", {"policy": policy})

    def seen(self) -> dict[str, Any]:
        """All of them, as the APIs show them now."""
        cloud, iam = self._cloud, f"{self._cloud.google_endpoint}/iam/v1/{self.account}"
        found: dict[str, Any] = {
            plural: [each for each in cloud.hetzner(plural) if each["id"] in ids]
            for plural, ids in self._ids.items()
        }
        records = cloud.records("example.org.")
        found["records"] = [each for each in records if each["name"] != "k8s.example.org."]
        found["account"] = self._call("GET", iam)
        found["keys"] = self._call("GET", f"{iam}/keys")
        found["roles"] = sorted(
            binding["role"] for binding in self._policy()["bindings"] if self.member in binding["members"]
        )
        return found

    def ids(self, plural: str) -> list[int]:
        return self._ids[plural]

    @property
    def _manager(self) -> str:
        return f"{self._cloud.google_endpoint}/cloudresourcemanager/v1/projects/{PROJECT}"

    def _policy(self) -> dict[str, Any]:
        return self._call("POST", f"{self._manager}:getIamPolicy", {})

    def _call(self, method: str, url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = httpx.request(method, url, json=body, headers={"Authorization": f"Bearer {TOKEN}"})
        found: dict[str, Any] = answer.raise_for_status().json()
        return found
