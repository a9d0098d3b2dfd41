"""Authentication, rate limit and error form of the Hetzner API, and its table of endpoints."""

from typing import Any

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.hetzner import (
    actions,
    firewalls,
    images,
    locations,
    networks,
    placement_groups,
    pricing,
    primary_ips,
    server_actions,
    server_networks,
    server_types,
    servers,
    ssh_keys,
    volumes,
)
from localcloud.hetzner.refusals import refusal
from localcloud.projects import token_for
from localcloud.routing import Admission, Call, Reply, Service

TOKEN_LENGTH = 64


def admit(cloud: Cloud, call: Call) -> Admission:
    """Find the token's project, and take one request from its bucket."""
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise refusal("unauthorized", "token is required")
    found = token_for(cloud.base, token) if len(token) == TOKEN_LENGTH else None
    if found is None:
        raise refusal("unauthorized", "the token you have provided is invalid")
    theirs = cloud.of(found["project"])
    headers = _take_request(theirs)
    if found["readOnly"] and call.method != "GET":
        raise refusal("token_readonly", "the token is only allowed to perform GET requests")
    return Admission(theirs, headers)


def _take_request(cloud: Cloud) -> dict[str, str]:
    limit, refill = float(cloud.setting("rateLimit")), float(cloud.setting("rateRefillPerSecond"))
    now = cloud.clock.now()
    bucket = cloud.store.get("bucket", "hetzner") or {"left": limit, "at": now}
    left = min(limit, bucket["left"] + max(0.0, now - bucket["at"]) * refill)
    allowed = left >= 1
    cloud.store.put("bucket", "hetzner", {"left": left - allowed, "at": now})
    cloud.store.commit()
    headers = {
        "RateLimit-Limit": str(int(limit)),
        "RateLimit-Remaining": str(max(0, int(left) - 1)),
        "RateLimit-Reset": str(int(now + (limit - left) / refill) + 1),
    }
    if not allowed:
        raise ApiError(
            429,
            "rate_limit_exceeded",
            f"limit of {int(limit)} requests per hour reached",
            {"headers": headers},
        )
    return headers


def render_error(error: ApiError) -> Reply:
    """`{"error": {"code", "message", "details"}}`."""
    details: Any = error.details
    headers: dict[str, str] = {}
    if error.code == "rate_limit_exceeded" and isinstance(details, dict):
        details, headers = None, details["headers"]
    return Reply(
        error.status,
        {"error": {"code": error.code, "message": error.message, "details": details}},
        headers=headers,
    )


HETZNER = Service(
    name="Hetzner Cloud",
    prefix="/hcloud/v1",
    routes=tuple(
        module.routes
        for module in (
            actions,
            servers,
            server_actions,
            server_networks,
            server_types,
            images,
            locations,
            networks,
            volumes,
            firewalls,
            primary_ips,
            placement_groups,
            ssh_keys,
            pricing,
        )
    ),
    render_error=render_error,
    admit=admit,
)
