"""SSH keys of the project."""

import base64
import binascii
import hashlib

from localcloud.cloud import Cloud
from localcloud.hetzner.actions import new_id
from localcloud.hetzner.fields import by_id, name, public, require_unique, text
from localcloud.hetzner.labels import checked_labels
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import invalid, not_unique
from localcloud.hetzner.updates import rename_and_relabel
from localcloud.routing import Call, Reply, Routes

routes = Routes()


@routes.get("/ssh_keys")
def list_ssh_keys(cloud: Cloud, call: Call) -> Reply:
    """The SSH keys, by name, fingerprint or labels"""
    return listing(call, "ssh_keys", cloud.store.all("ssh_key"), public, ("name", "fingerprint"))


@routes.get("/ssh_keys/{id}")
def get_ssh_key(cloud: Cloud, call: Call) -> Reply:
    """One SSH key"""
    return Reply(200, {"ssh_key": public(by_id(cloud, "ssh_key", call.params["id"]))})


@routes.post("/ssh_keys")
def create_ssh_key(cloud: Cloud, call: Call) -> Reply:
    """Add a public key that the project does not have yet"""
    title, public_key = name(call.body), text(call.body, "public_key").strip()
    require_unique(cloud, "ssh_key", title)
    fingerprint = _fingerprint(public_key)
    if any(key["fingerprint"] == fingerprint for key in cloud.store.all("ssh_key")):
        raise not_unique("SSH key with the same fingerprint already exists", "public_key")
    labels = checked_labels(call.body.get("labels"))
    number = new_id(cloud, "ssh_key")
    key = {
        "id": number,
        "name": title,
        "fingerprint": fingerprint,
        "public_key": public_key,
        "labels": labels,
        "created": cloud.clock.stamp(),
    }
    cloud.event("ssh_key.create", title, id=number)
    return Reply(201, {"ssh_key": cloud.store.put("ssh_key", number, key)})


@routes.put("/ssh_keys/{id}")
def update_ssh_key(cloud: Cloud, call: Call) -> Reply:
    """Change an SSH key's name or labels"""
    key = by_id(cloud, "ssh_key", call.params["id"])
    rename_and_relabel(cloud, "ssh_key", key, call.body)
    cloud.store.put("ssh_key", key["id"], key)
    return Reply(200, {"ssh_key": public(key)})


@routes.delete("/ssh_keys/{id}")
def delete_ssh_key(cloud: Cloud, call: Call) -> Reply:
    """Delete an SSH key"""
    key = by_id(cloud, "ssh_key", call.params["id"])
    cloud.store.delete("ssh_key", key["id"])
    cloud.event("ssh_key.delete", key["name"], id=key["id"])
    return Reply(204)


def _fingerprint(public_key: str) -> str:
    """The MD5 fingerprint, as the API shows it."""
    parts = public_key.split()
    try:
        blob = base64.b64decode(parts[1], validate=True)
    except (IndexError, binascii.Error):
        raise invalid("public_key", "is not an SSH public key") from None
    digest = hashlib.md5(blob, usedforsecurity=False).hexdigest()
    return ":".join(digest[index : index + 2] for index in range(0, 32, 2))
