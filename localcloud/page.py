"""The page for people at `/`: what exists, what it costs, what happened last. No secret is on it."""

from pathlib import Path
from typing import Any

import jinja2

from localcloud.cloud import Cloud
from localcloud.costs import monthly_costs
from localcloud.errors import ApiError
from localcloud.google.dns_records import of_zone
from localcloud.hetzner import firewalls, networks, servers
from localcloud.hetzner.actions import rendered
from localcloud.routing import Call, Reply, Routes, Service

LAST = 20
# Nothing but the page's own style: no script, no picture, nothing from elsewhere.
_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent), undefined=jinja2.StrictUndefined, autoescape=True
)

routes = Routes()


@routes.get("/")
def index(cloud: Cloud, call: Call) -> Reply:
    """What exists, what it costs and what happened last, as a page for people"""
    page = _TEMPLATES.get_template("page.html.j2").render(_context(cloud))
    return Reply(200, page, "text/html; charset=utf-8", _HEADERS)


def _context(cloud: Cloud) -> dict[str, Any]:
    store = cloud.store
    costs = monthly_costs(cloud)
    return {
        "servers": [servers.shown(cloud, server) for server in store.all("server")],
        "networks": [networks.shown(cloud, network) for network in store.all("network")],
        "firewalls": [firewalls.shown(cloud, firewall) for firewall in store.all("firewall")],
        "volumes": store.all("volume"),
        "names": {server["id"]: server["name"] for server in store.all("server")},
        "zones": [(zone, of_zone(cloud, zone)) for zone in store.all("zone")],
        "costs": costs,
        "net_eur": sum(cost.net_eur for cost in costs),
        "gross_eur": sum(cost.gross_eur for cost in costs),
        "actions": [rendered(cloud, action) for action in store.all("action")[: -LAST - 1 : -1]],
        "events": store.log("events")[: -LAST - 1 : -1],
        "requests": store.log("requests")[: -LAST - 1 : -1],
        "now": cloud.clock.stamp(),
    }


def _render_error(error: ApiError) -> Reply:
    return Reply(error.status, {"error": {"code": error.code, "message": error.message}})


PAGE = Service(name="Page", prefix="", routes=(routes,), render_error=_render_error)
