"""A body that each endpoint understands, with all of its fields."""

from __future__ import annotations

from typing import Any

HETZNER = "/hcloud/v1"
DNS = "/google/dns/v1/projects/raya-local"
IAM = "/google/iam/v1/projects/raya-local"
MANAGER = "/google/cloudresourcemanager/v1/projects/raya-local"
USAGE = "/google/serviceusage/v1/projects/raya-local"
RULE = {
    "direction": "in",
    "protocol": "tcp",
    "port": "80",
    "source_ips": ["0.0.0.0/0"],
    "destination_ips": [],
    "description": "d",
}
RECORD = {"name": "a.example.org.", "type": "A", "ttl": 60, "rrdatas": ["192.0.2.1"]}
BINDING = {"role": "roles/dns.admin", "members": ["user:a@example.org"], "condition": {"title": "t"}}


def valid_bodies(
    server: int, off: int, network: int, volume: int, firewall: int, group: int
) -> dict[str, Any]:
    """Request line -> body, for every endpoint that takes one. The ids are those of things that exist."""
    target = {"type": "server", "server": {"id": server}, "label_selector": {"selector": "a=b"}}
    order = {
        "name": "new",
        "server_type": "cx23",
        "location": "hel1",
        "image": "debian-12",
        "user_data": "x",
        "labels": {"a": "b"},
        "ssh_keys": ["key"],
        "firewalls": [{"firewall": firewall}],
        "networks": [network],
        "volumes": [volume],
        "placement_group": group,
        "public_net": {"enable_ipv4": True, "enable_ipv6": False, "ipv4": None},
        "start_after_create": True,
    }
    subnet = {"type": "cloud", "ip_range": "10.0.9.0/24", "network_zone": "eu-central"}
    route = {"destination": "10.9.0.0/24", "gateway": "10.0.1.9"}
    attach = {"network": network, "ip": "10.0.1.77", "ip_range": "10.0.1.0/24", "alias_ips": ["10.0.1.78"]}
    rename = {"name": "renamed", "labels": {"a": "b"}}
    servers, networks = f"{HETZNER}/servers/{server}", f"{HETZNER}/networks/{network}"
    return {
        f"POST {HETZNER}/servers": order,
        f"PUT {servers}": rename,
        f"POST {servers}/actions/attach_to_network": attach,
        f"POST {servers}/actions/change_alias_ips": {"network": network, "alias_ips": ["10.0.1.79"]},
        f"POST {servers}/actions/detach_from_network": {"network": network},
        f"POST {servers}/actions/change_protection": {"delete": False, "rebuild": False},
        f"POST {servers}/actions/change_dns_ptr": {"ip": "203.0.113.1", "dns_ptr": "a.example.org"},
        f"POST {servers}/actions/rebuild": {"image": "debian-12", "user_data": "x"},
        f"POST {HETZNER}/servers/{off}/actions/change_type": {"server_type": "cx33", "upgrade_disk": True},
        f"POST {HETZNER}/servers/{off}/actions/add_to_placement_group": {"placement_group": group},
        f"POST {HETZNER}/networks": {
            "name": "n",
            "ip_range": "10.0.0.0/16",
            "subnets": [subnet],
            "routes": [route],
            "labels": {},
            "expose_routes_to_vswitch": False,
        },
        f"PUT {networks}": rename | {"expose_routes_to_vswitch": False},
        f"POST {networks}/actions/add_subnet": subnet,
        f"POST {networks}/actions/delete_subnet": {"ip_range": "10.0.7.0/24"},
        f"POST {networks}/actions/add_route": route,
        f"POST {networks}/actions/delete_route": route,
        f"POST {networks}/actions/change_ip_range": {"ip_range": "10.0.0.0/16"},
        f"POST {networks}/actions/change_protection": {"delete": False},
        f"POST {HETZNER}/volumes": {
            "name": "v",
            "size": 10,
            "location": "hel1",
            "server": None,
            "format": "xfs",
            "labels": {"a": "b"},
        },
        f"PUT {HETZNER}/volumes/{volume}": rename,
        f"POST {HETZNER}/volumes/{volume}/actions/attach": {"server": server, "automount": False},
        f"POST {HETZNER}/volumes/{volume}/actions/resize": {"size": 11},
        f"POST {HETZNER}/volumes/{volume}/actions/change_protection": {"delete": False},
        f"POST {HETZNER}/firewalls": {"name": "f", "labels": {}, "rules": [RULE], "apply_to": [target]},
        f"PUT {HETZNER}/firewalls/{firewall}": rename,
        f"POST {HETZNER}/firewalls/{firewall}/actions/set_rules": {"rules": [RULE]},
        f"POST {HETZNER}/firewalls/{firewall}/actions/apply_to_resources": {"apply_to": [target]},
        f"POST {HETZNER}/firewalls/{firewall}/actions/remove_from_resources": {"remove_from": [target]},
        f"POST {HETZNER}/placement_groups": {"name": "g2", "type": "spread", "labels": {}},
        f"PUT {HETZNER}/placement_groups/{group}": rename,
        f"POST {HETZNER}/primary_ips": {
            "name": "p",
            "type": "ipv4",
            "location": "hel1",
            "assignee_id": off,
            "auto_delete": False,
            "labels": {},
        },
        f"POST {HETZNER}/ssh_keys": {"name": "k", "public_key": "ssh-ed25519 AAAA", "labels": {}},
        f"POST {DNS}/managedZones": {
            "name": "z",
            "dnsName": "z.example.org.",
            "description": "d",
            "labels": {"a": "b"},
            "visibility": "public",
            "dnssecConfig": {"state": "off"},
        },
        f"PATCH {DNS}/managedZones/example-org": {"description": "d", "labels": {"a": "b"}},
        f"POST {DNS}/managedZones/example-org/changes": {"additions": [RECORD], "deletions": [RECORD]},
        f"POST {DNS}/managedZones/example-org/rrsets": RECORD,
        f"POST {IAM}/serviceAccounts": {
            "accountId": "external-dns",
            "serviceAccount": {"displayName": "d", "description": "d"},
        },
        f"POST {IAM}/serviceAccounts/none@raya-local/keys": {"keyAlgorithm": "K", "privateKeyType": "T"},
        f"POST {MANAGER}:setIamPolicy": {"policy": {"etag": "", "version": 3, "bindings": [BINDING]}},
        f"POST {MANAGER}:testIamPermissions": {"permissions": ["a.b"]},
        f"POST {USAGE}/services:batchEnable": {"serviceIds": ["dns.googleapis.com"]},
        "POST /_control/settings": {
            "actionSeconds": 0,
            "soldOut": ["cx23@hel1"],
            "leaving": {"cx23@ash": "x"},
        },
        "POST /_control/faults": {
            "kind": "status",
            "path": "/never$",
            "method": "GET",
            "name": "n",
            "nth": 1,
            "times": 1,
            "seconds": 1,
            "status": 500,
            "code": "c",
            "message": "m",
            "carriedOut": False,
        },
        "POST /_control/clock": {"advanceSeconds": 0},
        "POST /_control/seed": {
            "projects": [{"id": "p", "disabledApis": ["dns.googleapis.com"]}],
            "zones": [{"project": "p", "name": "z", "dnsName": "p.example.org"}],
            "users": {"bob": ["ssh-ed25519 AAAA"]},
            "snapshots": [
                {"labels": {"a": "b"}, "architecture": "x86", "description": "d", "status": "creating"}
            ],
            "settings": {"volumeLimit": 100},
        },
    }
