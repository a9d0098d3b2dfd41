"""Machines and volumes, as the page shows them."""

from dataclasses import dataclass

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.primary_ips import assigned
from localcloud.page.wording import Status, status
from localcloud.store import Json


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One server with what it holds."""

    name: str
    status: Status
    locked: bool
    """Whether an action on it is under way."""
    type: str
    size: str
    location: str
    city: str
    public_ips: tuple[str, ...]
    private_ips: tuple[str, ...]
    volumes: tuple[str, ...]
    firewalls: tuple[str, ...]
    protected: bool


@dataclass(frozen=True, kw_only=True)
class Volume:
    """One volume; `server` is the machine that has it or is getting it."""

    name: str
    status: Status
    size_gb: int
    format: str
    location: str
    device: str
    server: str | None
    attaching: bool
    protected: bool


def machine(cloud: Cloud, server: Json) -> Machine:
    """What may be seen of a server; its user data is not in this object at all."""
    row, place = catalog.server_type(server["_type"]), catalog.location(server["_location"])
    key = str(server["id"])
    return Machine(
        name=server["name"],
        status=status(server["status"]),
        locked=bool(server.get("_busy")),
        type=server["_type"],
        size=f"{row.cores} cores, {row.memory_gb:g} GB" if row else "",
        location=server["_location"],
        city=place["city"] if place else "",
        public_ips=tuple(address["ip"] for address in assigned(cloud, server)),
        private_ips=tuple(net["ip"] for net in server["private_net"] if not net.get("_pending")),
        volumes=tuple(one["name"] for one in cloud.store.all("volume") if one["server"] == server["id"]),
        firewalls=tuple(one["name"] for one in cloud.store.all("firewall") if key in one["_servers"]),
        protected=server["protection"]["delete"],
    )


def volume(cloud: Cloud, thing: Json) -> Volume:
    """What may be seen of a volume."""
    attaching = thing.get("_attaching") is not None
    server = cloud.store.get("server", thing["_attaching"] if attaching else thing["server"])
    return Volume(
        name=thing["name"],
        status=status(thing["status"]),
        size_gb=thing["size"],
        format=thing["format"] or "no file system",
        location=thing["_location"],
        device=thing["linux_device"],
        server=server["name"] if server else None,
        attaching=attaching,
        protected=thing["protection"]["delete"],
    )
