"""Removing what the suite made at Hetzner, whatever still holds it."""

from __future__ import annotations

import time
from typing import Any

import hcloud
from hcloud import APIException
from hcloud.actions import BoundAction
from hcloud.firewalls import BoundFirewall
from hcloud.servers import BoundServer
from hcloud.volumes import BoundVolume

# In the order in which they can go: a server holds all the others.
KINDS = ("servers", "volumes", "firewalls", "networks", "primary_ips", "placement_groups", "ssh_keys")
# What the API says for a moment after a server went.
PASSING = ("conflict", "locked", "resource_in_use", "must_be_unassigned")
TRIES = 20


def remove(thing: Any) -> None:
    """Delete a thing; fine when it is gone already."""
    for attempt in range(TRIES):
        try:
            _release_and_delete(thing)
            return
        except APIException as refusal:
            if refusal.code == "not_found":
                return
            if refusal.code not in PASSING or attempt == TRIES - 1:
                raise
            time.sleep(1)


def restore(server: BoundServer) -> None:
    """Make a running server as it was when it was new, but for its name: free of everything, and on."""
    server.reload()
    if server.status != "running":
        if server.placement_group is not None:
            server.remove_from_placement_group().wait_until_finished()
        server.power_on().wait_until_finished()
    _unprotect(server)
    for net in server.private_net or []:
        server.detach_from_network(net.network).wait_until_finished()
    for volume in server.volumes or []:
        volume.detach().wait_until_finished()


def remove_marked(client: hcloud.Client, selector: str) -> list[str]:
    """Remove everything with these labels, and say what that was: `servers conf-1a2b3c-0-server`."""
    removed = []
    for kind, thing in marked(client, selector):
        remove(thing)
        removed.append(f"{kind} {thing.name}")
    return removed


def marked(client: hcloud.Client, selector: str) -> list[tuple[str, Any]]:
    """Everything with these labels, each with its kind, in the order in which it can be removed."""
    return [
        (kind, thing) for kind in KINDS for thing in getattr(client, kind).get_all(label_selector=selector)
    ]


def _release_and_delete(thing: Any) -> None:
    thing.reload()
    _unprotect(thing)
    if isinstance(thing, BoundVolume) and thing.server is not None:
        thing.detach().wait_until_finished()
    if isinstance(thing, BoundFirewall) and thing.applied_to:
        for action in thing.remove_from_resources(thing.applied_to):
            action.wait_until_finished()
    deletion = thing.delete()
    if isinstance(deletion, BoundAction):
        deletion.wait_until_finished()


def _unprotect(thing: Any) -> None:
    """A thing has no `protection` where its kind cannot be protected."""
    protection = getattr(thing, "protection", None) or {}
    if any(protection.values()):
        thing.change_protection(**dict.fromkeys(protection, False)).wait_until_finished()
