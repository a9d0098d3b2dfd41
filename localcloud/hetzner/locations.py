"""Locations."""

from localcloud.cloud import Cloud
from localcloud.hetzner import catalog
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import not_found, refusal
from localcloud.routing import Call, Reply, Routes

routes = Routes()


@routes.get("/locations")
def list_locations(cloud: Cloud, call: Call) -> Reply:
    """All locations"""
    return listing(call, "locations", list(catalog.LOCATIONS), dict)


@routes.get("/datacenters")
def list_datacenters(cloud: Cloud, call: Call) -> Reply:
    """Gone since October 2026: 410"""
    raise refusal("deprecated_api_endpoint", "API functionality was removed")


@routes.get("/datacenters/{id}")
def get_datacenter(cloud: Cloud, call: Call) -> Reply:
    """Gone since October 2026: 410"""
    return list_datacenters(cloud, call)


@routes.get("/locations/{id}")
def get_location(cloud: Cloud, call: Call) -> Reply:
    """One location"""
    found = next((row for row in catalog.LOCATIONS if str(row["id"]) == call.params["id"]), None)
    if found is None:
        raise not_found("location", call.params["id"])
    return Reply(200, {"location": found})
