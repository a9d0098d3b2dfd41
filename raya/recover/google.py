"""The Google project of a stack: its zones, records, and the cluster's accounts; and the end of a key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from raya.recover.google_access import Access
from raya.recover.things import Key, Kind, Thing

# What the provider adds to the labels that a program gives.
_ATTRIBUTION = "goog-pulumi-provisioned"


class Project:
    """One Google project, with the credentials and the addresses that the stack's configuration names."""

    def __init__(self, config: Mapping[str, str], project: str) -> None:
        self._project = project
        self._access = Access.of(config, project)
        self._dns = _endpoint(config, "dns", "https://dns.googleapis.com/dns/v1/")
        self._iam = _endpoint(config, "iamBeta", "https://iam.googleapis.com/v1/")
        self._manager = _endpoint(
            config, "resourceManager", "https://cloudresourcemanager.googleapis.com/v1/"
        )

    def things(self, *, zones: Collection[str], accounts: Collection[str]) -> Iterator[Thing]:
        """Every zone; the records of ``zones`` (resource names, or DNS names with the final dot); of
        ``accounts`` (full names) those that exist, their keys and what they are granted on the project.
        """
        for zone in self._listed(f"{self._dns}projects/{self._project}/managedZones", "managedZones"):
            yield self._zone(zone)
            if zone["visibility"] == "public" and {zone["name"], zone["dnsName"]} & set(zones):
                yield from self._records(zone["name"])
        for name in accounts:
            yield from self._account(name)
        yield from self._grants(accounts)

    def delete_key(self, name: str) -> None:
        self._access.call("DELETE", f"{self._iam}{name}", may_be_gone=True)

    def _zone(self, zone: Mapping[str, Any]) -> Thing:
        labels = dict(zone.get("labels") or {})
        inputs = {each: zone[each] for each in ("name", "dnsName", "visibility")}
        # External-dns leaves its records behind, so the program has the zone emptied before it goes.
        inputs |= {"project": self._project, "description": zone.get("description", ""), "forceDestroy": True}
        return Thing(
            kind=Kind.ZONE,
            id=f"projects/{self._project}/managedZones/{zone['name']}",
            name=str(zone["name"]),
            inputs={**inputs, "labels": {name: labels[name] for name in labels if name != _ATTRIBUTION}},
            outputs={"nameServers": zone.get("nameServers", []), "managedZoneId": str(zone["id"])},
            labels=labels,
        )

    def _records(self, zone: str) -> Iterator[Thing]:
        zone_id = f"projects/{self._project}/managedZones/{zone}"
        for record in self._listed(f"{self._dns}{zone_id}/rrsets", "rrsets", may_be_gone=True):
            inputs = {each: record.get(each) for each in ("name", "type", "ttl", "rrdatas")}
            yield Thing(
                kind=Kind.RECORD,
                id=f"{zone_id}/rrsets/{record['name']}/{record['type']}",
                name=f"{record['name']} {record['type']}",
                inputs={**inputs, "managedZone": zone, "project": self._project},
                needs=(Key(Kind.ZONE, zone_id),),
            )

    def _account(self, name: str) -> Iterator[Thing]:
        account = self._access.call("GET", f"{self._iam}{name}", may_be_gone=True)
        if account is None:
            return
        email = account["email"]
        account_id = email.partition("@")[0]
        display_name = account.get("displayName", "")
        yield Thing(
            kind=Kind.ACCOUNT,
            id=name,
            name=account_id,
            inputs={"accountId": account_id, "displayName": display_name, "project": self._project},
            outputs={
                "email": email,
                "member": f"serviceAccount:{email}",
                "name": name,
                "uniqueId": account["uniqueId"],
            },
        )
        # Google keeps keys of its own with every account; they are not listed here.
        keys = self._listed(f"{self._iam}{name}/keys", "keys", may_be_gone=True, keyTypes="USER_MANAGED")
        for each in keys:
            yield Thing(
                kind=Kind.KEY,
                id=str(each["name"]),
                name=f"{each['name'].rpartition('/')[2]} of {account_id}",
                inputs={"serviceAccountId": name},
                needs=(Key(Kind.ACCOUNT, name),),
            )

    def _grants(self, accounts: Collection[str]) -> Iterator[Thing]:
        by_member = {f"serviceAccount:{name.rpartition('/')[2]}": name for name in accounts}
        asked = {"options": {"requestedPolicyVersion": 3}}
        policy = (
            self._access.call("POST", f"{self._manager}projects/{self._project}:getIamPolicy", asked) or {}
        )
        for binding in policy.get("bindings", []):
            for member in set(binding["members"]) & set(by_member):
                if not binding.get("condition"):
                    role = binding["role"]
                    yield Thing(
                        kind=Kind.GRANT,
                        id=f"{self._project}/{role}/{member}",
                        name=f"{role} of {member}",
                        inputs={"project": self._project, "role": role, "member": member},
                        needs=(Key(Kind.ACCOUNT, by_member[member]),),
                    )

    def _listed(
        self, url: str, field: str, *, may_be_gone: bool = False, **query: str
    ) -> Iterator[dict[str, Any]]:
        """All pages."""
        token: str | None = ""
        while token is not None:
            asked = {**query, **({"pageToken": token} if token else {})}
            page = self._access.call("GET", url, query=asked, may_be_gone=may_be_gone) or {}
            yield from page.get(field, [])
            token = page.get("nextPageToken")


def _endpoint(config: Mapping[str, str], service: str, public: str) -> str:
    return config.get(f"gcp:{service}CustomEndpoint") or public
