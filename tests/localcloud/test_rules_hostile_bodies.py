"""Every body that an endpoint takes, with each of its values replaced by one of a wrong kind.

There is always an answer in the API's own form, never a failure, and nothing makes later requests fail.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hcloud.networks import BoundNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer
from tests.localcloud.valid_bodies import HETZNER, valid_bodies

# What replaces a value. The long numbers are those that a parser or a conversion trips over.
HOSTILE: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**40,
    1.5,
    "",
    "\x00",
    "\u0661" * 3,
    "../../etc/passwd",
    [],
    [None],
    [[1]],
    {},
    {"a": None},
)


def _variants(body: Any) -> Iterator[Any]:
    """The body with one value after the other replaced, at every depth."""
    places: list[list[Any]] = [[]]
    for place in places:
        value = _at(body, place)
        if isinstance(value, dict):
            places += [[*place, key] for key in value]
        elif isinstance(value, list):
            places += [[*place, index] for index in range(len(value))]
    for place in places[1:]:
        for hostile in HOSTILE:
            changed = copy.deepcopy(body)
            _at(changed, place[:-1])[place[-1]] = hostile
            yield changed


def _at(body: Any, place: list[Any]) -> Any:
    for step in place:
        body = body[step]
    return body


@pytest.mark.parametrize("part", range(4))
def test_no_value_makes_an_endpoint_fail(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer, network: BoundNetwork, part: int
) -> None:
    cloud.settings(actionSeconds=0, rateLimit=1_000_000)
    server, off = make_server("one"), make_server("two")
    off.power_off().wait_until_finished()
    made = {
        kind: http.post(f"{HETZNER}/{kind}s", json=body).json()[kind]["id"]
        for kind, body in (
            ("volume", {"name": "state", "size": 10, "location": "hel1"}),
            ("firewall", {"name": "wall"}),
            ("placement_group", {"name": "spread", "type": "spread"}),
        )
    }
    bodies = valid_bodies(
        server.id, off.id, network.id, made["volume"], made["firewall"], made["placement_group"]
    )
    assert len(bodies) > 40
    log_before = cloud.log
    sent, failures = 0, []
    for request, valid in list(bodies.items())[part::4]:
        method, path = request.split(" ", 1)
        for body in _variants(valid):
            answer = http.request(method, path, content=json.dumps(body))
            sent += 1
            if answer.status_code >= 500 and answer.status_code != 501:
                failures.append((request, body, answer.text))
            elif answer.status_code >= 400:
                error = answer.json()["error"]
                assert error["code"], (request, body)
                assert error["message"], (request, body)
    assert failures == []
    assert sent > 400
    assert cloud.log == log_before
    for kind in ("servers", "networks", "volumes", "firewalls", "primary_ips", "placement_groups", "images"):
        assert http.get(f"{HETZNER}/{kind}").status_code == 200
    assert http.get("/").status_code == 200
