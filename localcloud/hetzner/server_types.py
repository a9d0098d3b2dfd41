"""Server types: sizes, prices, and where each can be ordered."""

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import not_found
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

routes = Routes()

_ANNOUNCED = "2025-10-16T00:00:00Z"
# When the types that the catalog calls gone could be ordered for the last time.
_GONE_AFTER = "2026-01-01T00:00:00Z"


def deprecation(cloud: Cloud, row: catalog.TypeRow, location: str) -> Json | None:
    """The announced end of a type in a location, be it past or to come (the setting `leaving`)."""
    end = _GONE_AFTER if location in row.gone else cloud.setting("leaving").get(f"{row.name}@{location}")
    return {"announced": min(_ANNOUNCED, end), "unavailable_after": end} if end else None


def is_gone(cloud: Cloud, row: catalog.TypeRow, location: str) -> bool:
    """Whether the type can no longer be ordered in the location."""
    end = deprecation(cloud, row, location)
    return end is not None and str(end["unavailable_after"]) <= cloud.clock.stamp()


def rendered(cloud: Cloud, row: catalog.TypeRow) -> Json:
    """A server type as the API shows it."""
    ends = [deprecation(cloud, row, name) for name in row.locations]
    # The type itself is deprecated once it is so everywhere.
    whole = ends[0] if all(ends) else None
    return {
        "id": row.id,
        "name": row.name,
        "description": row.name.upper(),
        "category": row.category,
        "cores": row.cores,
        "memory": row.memory_gb,
        "disk": row.disk_gb,
        "deprecated": whole is not None,
        "deprecation": whole,
        "prices": catalog.type_prices(row),
        "storage_type": "local",
        "cpu_type": "dedicated" if row.dedicated else "shared",
        "architecture": row.architecture,
        "locations": [_offer(cloud, row, name) for name in row.locations],
    }


def sold_out(cloud: Cloud, row: catalog.TypeRow, location: str) -> bool:
    """Whether a seed or a test has taken the type out of stock in the location."""
    return f"{row.name}@{location}" in cloud.setting("soldOut")


def _offer(cloud: Cloud, row: catalog.TypeRow, name: str) -> Json:
    place = catalog.location(name) or {}
    available = not is_gone(cloud, row, name) and not sold_out(cloud, row, name)
    end = deprecation(cloud, row, name)
    return {
        "id": place["id"],
        "name": name,
        "available": available,
        "recommended": available and end is None and row.name.startswith(("cx", "cax", "cpx")),
        "deprecation": end,
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
