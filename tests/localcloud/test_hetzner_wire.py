"""What lies below the client: tokens, limits, lists, unknown paths."""

from __future__ import annotations

import hcloud
import httpx
import pytest
from hcloud import APIException

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

SERVERS = "/hcloud/v1/servers"


def test_no_token(http: httpx.Client) -> None:
    del http.headers["Authorization"]
    answer = http.get(SERVERS)
    assert answer.status_code == 401
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json() == {
        "error": {"code": "unauthorized", "message": "token is required", "details": None}
    }


def test_bad_token(http: httpx.Client) -> None:
    answer = http.get(SERVERS, headers={"Authorization": "Bearer short"})
    assert answer.status_code == 401
    assert answer.json()["error"]["message"] == "the token you have provided is invalid"


def test_unknown_endpoint_is_named(http: httpx.Client) -> None:
    answer = http.post("/hcloud/v1/load_balancers", json={})
    assert answer.status_code == 501
    assert "POST /hcloud/v1/load_balancers" in answer.json()["error"]["message"]


def test_unknown_paths_are_in_the_request_log(cloud: RunningCloud, http: httpx.Client) -> None:
    assert http.get("/google/serviceusage/v1/projects/raya-local/services").status_code == 501
    http.get("/")
    (logged,) = cloud.requests()
    assert (logged["status"], logged["route"]) == (501, None)


def test_body_that_is_no_json(http: httpx.Client) -> None:
    answer = http.post(SERVERS, content="{")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "json_error")


def test_a_foreign_host_name_is_refused(http: httpx.Client) -> None:
    assert http.get(SERVERS, headers={"Host": "evil.example"}).status_code == 400


def test_rate_limit_headers_and_429(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.settings(rateLimit=5, rateRefillPerSecond=0.001)
    first = http.get(SERVERS)
    assert first.headers["RateLimit-Limit"] == "5"
    assert first.headers["RateLimit-Remaining"] == "4"
    assert int(first.headers["RateLimit-Reset"]) > 0
    codes = [http.get(SERVERS).status_code for _ in range(5)]
    assert codes == [200, 200, 200, 200, 429]
    refused = http.get(SERVERS)
    assert refused.json()["error"]["code"] == "rate_limit_exceeded"
    assert refused.headers["RateLimit-Remaining"] == "0"
    cloud.advance(3600)
    assert http.get(SERVERS).status_code == 200


def test_pages(cloud: RunningCloud, hetzner: hcloud.Client) -> None:
    for number in range(30):
        cloud.create_volume(f"v{number}", size_gb=10, labels={"odd": str(number % 2)})
    first = hetzner.volumes.get_list(page=1)
    assert len(first.volumes) == 25
    pages = first.meta.pagination
    assert (pages.last_page, pages.next_page, pages.previous_page, pages.total_entries) == (2, 2, None, 30)
    assert len(hetzner.volumes.get_all()) == 30
    assert len(hetzner.volumes.get_all(label_selector="odd=1")) == 15


@pytest.mark.parametrize(
    "query", ["per_page=51", "per_page=0", "page=0", "page=x", "sort=colour", "sort=id:up"]
)
def test_bad_list_query(http: httpx.Client, query: str) -> None:
    answer = http.get(f"{SERVERS}?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("role=agent", ["a", "b"]),
        ("role==agent,zone=x", ["a"]),
        ("role!=agent", ["c", "d"]),
        ("role", ["a", "b", "c"]),
        ("!role", ["d"]),
        ("zone in (x, y)", ["a", "b"]),
        ("zone notin (x)", ["b", "c", "d"]),
    ],
)
def test_label_selectors(
    cloud: RunningCloud, hetzner: hcloud.Client, selector: str, names: list[str]
) -> None:
    things = {
        "a": {"role": "agent", "zone": "x"},
        "b": {"role": "agent", "zone": "y"},
        "c": {"role": "cp"},
        "d": {},
    }
    for name, labels in things.items():
        cloud.create_volume(name, size_gb=10, labels=labels)
    assert [volume.name for volume in hetzner.volumes.get_all(label_selector=selector)] == names


def test_bad_label_selector(hetzner: hcloud.Client) -> None:
    with pytest.raises(APIException) as refused:
        hetzner.volumes.get_all(label_selector="version=v1+k3s1")
    assert refused.value.code == "invalid_input"


def test_actions_are_asked_for_by_id(http: httpx.Client, make_server: MakeServer) -> None:
    server = make_server("one")
    assert http.get("/hcloud/v1/actions").status_code == 422
    ids = [action["id"] for action in http.get(f"{SERVERS}/{server.id}/actions").json()["actions"]]
    assert len(ids) == 2
    query = f"id={ids[0]}&id={ids[1]}&id=1&sort=status&sort=id"
    answer = http.get(f"/hcloud/v1/actions?{query}").json()["actions"]
    assert [(action["id"], action["status"]) for action in answer] == [(each, "success") for each in ids]
    assert http.get(f"{SERVERS}/actions?status=running").json()["actions"] == []
    assert http.get(f"{SERVERS}/actions/{ids[0]}").json()["action"]["command"] == "create_server"


def test_the_request_log_holds_no_secret(cloud: RunningCloud, make_server: MakeServer) -> None:
    make_server("one", user_data="canary-user-data")
    text = str(cloud.requests()) + str(cloud.events()) + cloud.log
    assert "canary-user-data" not in text
    assert "t" * 64 not in text
    created = [each for each in cloud.requests() if each["method"] == "POST" and each["route"] == SERVERS]
    assert [each["status"] for each in created] == [201]
    assert cloud.user_data("one") == "canary-user-data"
