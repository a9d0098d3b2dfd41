"""What lies below the client: tokens, the rate limit, unknown paths, bodies."""

from __future__ import annotations

import hcloud
import httpx
import pytest

from tests.conformance.refusals import refused
from tests.conformance.targets import HetznerTarget

KINDS = (
    "servers",
    "networks",
    "volumes",
    "firewalls",
    "primary_ips",
    "placement_groups",
    "ssh_keys",
    "images",
    "actions",
    "locations",
    "server_types",
)


def test_no_token(wire: httpx.Client) -> None:
    del wire.headers["Authorization"]
    answer = wire.get("/servers")
    assert answer.status_code == 401
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json() == {
        "error": {"code": "unauthorized", "message": "token is required", "details": None}
    }


def test_a_token_that_is_none(hetzner_target: HetznerTarget) -> None:
    client = hcloud.Client("short", hetzner_target.endpoint)
    with refused("unauthorized", saying="the token you have provided is invalid"):
        client.servers.get_list()


def test_the_rate_limit_is_in_every_answer(wire: httpx.Client) -> None:
    for path in ("/servers", "/servers/1000000000"):
        headers = wire.get(path).headers
        limit, left, reset = (int(headers[f"RateLimit-{name}"]) for name in ("Limit", "Remaining", "Reset"))
        assert 0 <= left < limit
        assert reset > 1_700_000_000


def test_an_unknown_path_is_refused_in_the_apis_own_form(wire: httpx.Client) -> None:
    answer = wire.get("/no_such_things")
    # The real API says 404. The local cloud says 501: what it lacks must not look like what is not there.
    assert answer.status_code in (404, 501)
    assert set(answer.json()["error"]) == {"code", "message", "details"}


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_id_is_not_found(wire: httpx.Client, kind: str) -> None:
    answer = wire.get(f"/{kind}/1000000000")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_a_body_that_is_no_json(wire: httpx.Client) -> None:
    answer = wire.post("/servers", content="{", headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert set(answer.json()["error"]) == {"code", "message", "details"}
