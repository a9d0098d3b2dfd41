"""Which things in the clouds are this cluster's. Proven, never guessed. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from raya.addressing import CONTROL_PLANE_NAME, STACK_ID, STATE_VOLUME_SUFFIX
from raya.dns_names import DNS_ADMIN_ROLE, account_id, zone_resource_name
from raya.recover.checkpoint import Checkpoint, Entry
from raya.recover.things import Key, Kind, Thing
from raya.settings import Settings

_RANDOM_ID = "random:index/randomId:RandomId"
_DNS_IDENTITY = "raya:cluster:DnsIdentity"


@dataclass(frozen=True)
class Claims:
    """The rules of one stack.

    What has labels must carry the cluster's, the random id of this stack among them, which only this state
    has: another stack may give the same names, and so may a cluster whose state was lost. It must have a name
    that this stack gives, too. A service account is known by the random part of its id. All else hangs on
    something that is ours.
    """

    settings: Settings
    checkpoint: Checkpoint

    @property
    def labels(self) -> Mapping[str, str]:
        """Those of the cluster, whichever stack made it."""
        return {"managed_by": "raya", "cluster": self.settings.cluster_name}

    @property
    def stack_id(self) -> str | None:
        """None: nothing of what has labels was made by this state."""
        made = self.checkpoint.component(_RANDOM_ID, STACK_ID)
        return str(made.outputs["hex"]) if made else None

    @property
    def accounts(self) -> Mapping[str, Entry]:
        """The full name of each account that the program makes, and the state's entry of its random part."""
        project = self.settings.gcp_project
        found = {}
        for entry in self.checkpoint.entries:
            if entry.type == _RANDOM_ID and f"{_DNS_IDENTITY}::" in entry.parent:
                short = account_id(entry.name, self.settings.cluster_name, str(entry.outputs["hex"]))
                email = f"{short}@{_domain(project)}.iam.gserviceaccount.com"
                found[f"projects/{project}/serviceAccounts/{email}"] = entry
        return found

    def is_out_of_sight(self, key: Key) -> bool:
        """Whether it is in a Google project that the configuration does not name: nobody looked there."""
        project = self.settings.gcp_project
        return key.kind.startswith("gcp:") and project not in key.id.split("/")[:2]

    @property
    def zone_names(self) -> tuple[str, str]:
        """The DNS names of the zones that hold the cluster's records: its own and the parent."""
        return f"{self.settings.managed_zone}.", f"{self.settings.dns_parent_zone}."

    def is_named(self, thing: Thing) -> bool:
        """Whether it has a name that this stack gives to its kind."""
        return re.fullmatch(self._names[thing.kind], thing.name) is not None

    @property
    def _names(self) -> Mapping[Kind, str]:
        prefix = re.escape(self.settings.server_name_prefix)
        cluster = f"{prefix}{re.escape(self.settings.cluster_name)}"
        return {
            Kind.NETWORK: cluster,
            Kind.FIREWALL: cluster,
            Kind.VOLUME: cluster + STATE_VOLUME_SUFFIX,
            Kind.SERVER: rf"{prefix}({CONTROL_PLANE_NAME}|agent-\d+)",
            Kind.ZONE: zone_resource_name(self.settings.managed_zone),
        }

    def is_labelled(self, thing: Thing) -> bool:
        return self.labels.items() <= thing.labels.items()

    def is_of_this_stack(self, thing: Thing) -> bool:
        """Whether this state made it."""
        return self.stack_id is not None and thing.labels.get("stack") == self.stack_id

    def doubt(self, thing: Thing) -> str | None:
        """Why a thing that looks like the cluster's is not taken for it; None when it is, or does not.

        The sentence stands above a list of such things, so it names none.
        """
        named, labelled = self.is_named(thing), self.is_labelled(thing)
        wanted = ", ".join(f"{name}={value}" for name, value in self.labels.items())
        if named and not labelled:
            return (
                f"Has a name that this cluster gives, but not its labels ({wanted}), so it is somebody "
                "else's. Rename one of the two: raya:serverNamePrefix changes the cluster's names."
            )
        if labelled and not named:
            return (
                f"Has the cluster's labels ({wanted}), but no name that this stack gives. Does another stack "
                "use the same raya:clusterName? If nobody does, delete it in the console."
            )
        if not named or self.is_of_this_stack(thing):
            return None
        if self.stack_id is None:
            return (
                "Has a name and the labels of this cluster, but this state has made nothing yet that has "
                "labels, so another one made it. Is this the right backend? When the state was emptied or "
                'lost: docs/runbooks/interrupted.md, "The state was lost".'
            )
        return (
            "Has a name and the labels of this cluster, but its label stack is not that of this state, so "
            "another state made it. Is this the right backend, the right token? Two clusters need two "
            "raya:clusterName or raya:serverNamePrefix. When the other state was lost: "
            'docs/runbooks/interrupted.md, "The state was lost".'
        )

    def is_nodes_subnet(self, thing: Thing) -> bool:
        """Somebody may have added another one to the cluster's network."""
        return str(thing.inputs["ipRange"]) == str(self.settings.network.nodes_subnet)

    def is_grant(self, thing: Thing) -> bool:
        """Somebody may have given another role to the cluster's account."""
        return str(thing.inputs["role"]) == DNS_ADMIN_ROLE

    def is_delegation_to(self, thing: Thing, zone: Thing) -> bool:
        """Whether this record delegates to exactly this zone."""
        wanted = (zone.inputs["dnsName"], "NS", sorted(zone.outputs["nameServers"]))
        found = (thing.inputs["name"], thing.inputs["type"], sorted(thing.inputs["rrdatas"] or []))
        return wanted == found and thing.needs != (zone.key,)


def _domain(project: str) -> str:
    """``example.com:my-dns`` is ``my-dns.example.com`` in addresses."""
    domain, _, name = project.rpartition(":")
    return f"{name}.{domain}" if domain else name
