"""What lies below the client: unknown paths, the rate limit, the request log."""

from __future__ import annotations

import httpx

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

SERVERS = "/hcloud/v1/servers"


def test_unknown_endpoint_is_named(http: httpx.Client) -> None:
    answer = http.post("/hcloud/v1/load_balancers", json={})
    assert answer.status_code == 501
    assert "POST /hcloud/v1/load_balancers" in answer.json()["error"]["message"]


def test_unknown_paths_are_in_the_request_log(cloud: RunningCloud, http: httpx.Client) -> None:
    assert http.get("/google/pubsub/v1/projects/raya-local/topics").status_code == 501
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


def test_the_request_log_holds_no_secret(cloud: RunningCloud, make_server: MakeServer) -> None:
    make_server("one", user_data="canary-user-data")
    text = str(cloud.requests()) + str(cloud.events()) + cloud.log
    assert "canary-user-data" not in text
    assert "t" * 64 not in text
    created = [each for each in cloud.requests() if each["method"] == "POST" and each["route"] == SERVERS]
    assert [each["status"] for each in created] == [201]
    assert cloud.user_data("one") == "canary-user-data"
