"""What a request to create a server asks for, checked whole before anything is made."""

import secrets
from dataclasses import dataclass, field
from typing import Any

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.addresses import choose_private_ip
from localcloud.hetzner.fields import (
    by_id_or_name,
    flag,
    hostname,
    items,
    mapping,
    objects,
    require_unique,
    require_unlocked,
)
from localcloud.hetzner.labels import Labels, checked_labels
from localcloud.hetzner.networks import require_room
from localcloud.hetzner.placement_groups import require_place
from localcloud.hetzner.refusals import invalid, limit_exceeded, refusal
from localcloud.hetzner.server_networks import require_compatible
from localcloud.hetzner.server_types import is_gone, sold_out
from localcloud.hetzner.volumes import require_attachable, require_slots
from localcloud.store import Json

USER_DATA_LIMIT_BYTES = 32 * 1024
FIREWALLS_PER_SERVER = 5


@dataclass(kw_only=True)
class Order:
    """A checked order. `public_ips` says per version: True for a new one, an existing one, or None."""

    name: str
    type_row: catalog.TypeRow
    location: Json
    image: Json
    user_data: str
    labels: Labels
    ssh_keys: list[Json]
    firewalls: list[Json]
    networks: list[tuple[Json, str]]
    volumes: list[Json]
    placement_group: int | None
    public_ips: dict[str, Any]
    start: bool
    root_password: str = field(default_factory=lambda: secrets.token_urlsafe(15), repr=False)


def read_order(cloud: Cloud, body: Json) -> Order:
    """Check everything that the API checks when it takes the order."""
    name = hostname(body)
    require_unique(cloud, "server", name)
    row = _type_row(body)
    location = _location(cloud, body, row)
    public_ips = {version: _public_ip(cloud, body, version, location) for version in ("ipv4", "ipv6")}
    networks = _networks(cloud, body, location)
    if not networks and not any(public_ips.values()):
        raise invalid("public_net", "a server without a network needs a public IPv4 or IPv6 address")
    _require_room_in_account(cloud, row)
    return Order(
        name=name,
        type_row=row,
        location=location,
        image=fitting_image(cloud, body, row),
        user_data=checked_user_data(body),
        labels=checked_labels(body.get("labels")),
        ssh_keys=[by_id_or_name(cloud, "ssh_key", "ssh_keys", key) for key in items(body, "ssh_keys")],
        firewalls=_firewalls(cloud, body),
        networks=networks,
        volumes=_volumes(cloud, body, location),
        placement_group=_placement_group(cloud, body),
        public_ips=public_ips,
        start=flag(body, "start_after_create", True),
    )


def _require_room_in_account(cloud: Cloud, row: catalog.TypeRow) -> None:
    servers = cloud.store.all("server")
    if len(servers) >= cloud.setting("serverLimit"):
        raise limit_exceeded("server")
    if row.dedicated:
        rows = [catalog.server_type(server["_type"]) for server in servers]
        used = sum(other.cores for other in rows if other is not None and other.dedicated)
        if used + row.cores > cloud.setting("dedicatedCoreLimit"):
            raise limit_exceeded("dedicated core")


def _type_row(body: Json) -> catalog.TypeRow:
    row = catalog.server_type(body.get("server_type"))
    if row is None:
        raise invalid("server_type", f"server type {body.get('server_type')!r} not found")
    return row


def _location(cloud: Cloud, body: Json, row: catalog.TypeRow) -> Json:
    if body.get("datacenter") is not None:
        raise invalid("datacenter", "the property was removed; use location")
    key = row.locations[0] if body.get("location") is None else body["location"]
    place = catalog.location(key)
    if place is None:
        raise invalid("location", f"location {key!r} not found")
    if place["name"] not in row.locations:
        raise invalid("server_type", f"unsupported location for server type: {row.name} in {place['name']}")
    if is_gone(cloud, row, place["name"]):
        raise invalid("server_type", f"server type {row.name} is deprecated in {place['name']}")
    if sold_out(cloud, row, place["name"]):
        raise refusal(
            "resource_unavailable", f"server type {row.name} is currently unavailable in {place['name']}"
        )
    return place


def fitting_image(cloud: Cloud, body: Json, row: catalog.TypeRow) -> Json:
    """The image that a body names by id or name, if it is ready and a server of the type can run it."""
    key = body.get("image")
    if key is None:
        raise invalid("image", "is required")
    named = [
        image for image in cloud.store.all("image") if image["name"] is not None and image["name"] == key
    ]
    fitting = [image for image in named if image["architecture"] == row.architecture]
    image = fitting[0] if fitting else by_id_or_name(cloud, "image", "image", key)
    if image["status"] != "available":
        raise invalid("image", f"image {image['id']} is not available yet")
    if image["architecture"] != row.architecture:
        raise invalid(
            "image", f"image architecture {image['architecture']} does not fit server type {row.name}"
        )
    if image["disk_size"] > row.disk_gb:
        raise invalid("image", f"image disk is bigger than the disk of server type {row.name}")
    return image


def checked_user_data(body: Json) -> str:
    """The user data, of which the API takes 32 KiB in bytes."""
    value = body.get("user_data")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise invalid("user_data", "must be a string")
    if len(value.encode()) > USER_DATA_LIMIT_BYTES:
        raise invalid("user_data", f"must not be longer than {USER_DATA_LIMIT_BYTES} bytes")
    return value


def _firewalls(cloud: Cloud, body: Json) -> list[Json]:
    entries = objects(body, "firewalls")
    if len(entries) > FIREWALLS_PER_SERVER:
        raise limit_exceeded("firewall", f"a server takes {FIREWALLS_PER_SERVER} firewalls")
    return [by_id_or_name(cloud, "firewall", "firewalls", entry.get("firewall")) for entry in entries]


def _networks(cloud: Cloud, body: Json, location: Json) -> list[tuple[Json, str]]:
    networks = [by_id_or_name(cloud, "network", "networks", key) for key in items(body, "networks")]
    require_compatible(networks)
    for network in networks:
        require_room(cloud, network)
    return [(one, choose_private_ip(cloud, one, None, None, location["network_zone"])) for one in networks]


def _volumes(cloud: Cloud, body: Json, location: Json) -> list[Json]:
    volumes = [by_id_or_name(cloud, "volume", "volumes", key) for key in items(body, "volumes")]
    require_slots(len(volumes))
    if len({volume["id"] for volume in volumes}) != len(volumes):
        raise invalid("volumes", "must not name a volume twice")
    return [require_attachable(cloud, volume, location["name"]) for volume in volumes]


def _placement_group(cloud: Cloud, body: Json) -> int | None:
    if body.get("placement_group") is None:
        return None
    group = by_id_or_name(cloud, "placement_group", "placement_group", body["placement_group"])
    require_place(cloud, group)
    return int(group["id"])


def _public_ip(cloud: Cloud, body: Json, version: str, location: Json) -> Any:
    wishes = mapping(body, "public_net")
    if not flag(wishes, f"enable_{version}", True):
        return None
    if wishes.get(version) is None:
        return True
    address = by_id_or_name(cloud, "primary_ip", f"public_net.{version}", wishes[version])
    if address["type"] != version:
        raise invalid(f"public_net.{version}", f"primary IP {address['id']} is of type {address['type']}")
    if address["assignee_id"] is not None:
        raise refusal("primary_ip_assigned", f"primary IP {address['id']} is already assigned")
    if address["_location"] != location["name"]:
        raise invalid(
            f"public_net.{version}", f"primary IP is in {address['_location']}, server in {location['name']}"
        )
    require_unlocked(address, "primary_ip")
    return address
