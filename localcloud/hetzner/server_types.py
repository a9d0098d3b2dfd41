"""Server types: sizes, prices, and where each can be ordered."""

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import not_found
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

routes = Routes()

# A deprecation that is over: announced, and no longer to be ordered since.
_GONE = {"announced": "2025-10-16T00:00:00Z", "unavailable_after": "2026-01-01T00:00:00Z"}


def rendered(cloud: Cloud, row: catalog.TypeRow) -> Json:
    """A server type as the API shows it."""
    everywhere = set(row.locations) == set(row.gone)
    return {
        "id": row.id,
        "name": row.name,
        "description": row.name.upper(),
        "category": row.category,
        "cores": row.cores,
        "memory": row.memory_gb,
        "disk": row.disk_gb,
        "deprecated": everywhere,
        "deprecation": _GONE if everywhere else None,
        "prices": catalog.type_prices(row),
        "storage_type": "local",
        "cpu_type": "dedicated" if row.name.startswith("ccx") else "shared",
        "architecture": row.architecture,
        "locations": [_offer(cloud, row, name) for name in row.locations],
    }


def sold_out(cloud: Cloud, row: catalog.TypeRow, location: str) -> bool:
    """Whether a seed or a test has taken the type out of stock in the location."""
    return f"{row.name}@{location}" in cloud.setting("soldOut")


def _offer(cloud: Cloud, row: catalog.TypeRow, name: str) -> Json:
    place = catalog.location(name) or {}
    gone = name in row.gone
    available = not gone and not sold_out(cloud, row, name)
    return {
        "id": place["id"],
        "name": name,
        "available": available,
        "recommended": available and row.name.startswith(("cx", "cax", "cpx")),
        "deprecation": _GONE if gone else None,
    }


@routes.get("/server_types")
def list_server_types(cloud: Cloud, call: Call) -> Reply:
    """All server types"""
    rows = [rendered(cloud, row) for row in catalog.SERVER_TYPES]
    return listing(call, "server_types", rows, dict, ("name", "architecture"))


@routes.get("/server_types/{id}")
def get_server_type(cloud: Cloud, call: Call) -> Reply:
    """One server type"""
    found = next((row for row in catalog.SERVER_TYPES if str(row.id) == call.params["id"]), None)
    if found is None:
        raise not_found("server_type", call.params["id"])
    return Reply(200, {"server_type": rendered(cloud, found)})
