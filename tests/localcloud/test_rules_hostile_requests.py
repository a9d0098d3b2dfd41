"""Requests that no well-behaved client sends, and many at once: an answer in the API's form, one winner."""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import hcloud
import httpx
import pytest
from hcloud import APIException
from hcloud.locations import Location
from hcloud.networks import BoundNetwork

from tests.cloud import TOKEN, RunningCloud
from tests.localcloud.conftest import MakeServer

SERVERS = "/hcloud/v1/servers"
VOLUMES = "/hcloud/v1/volumes"
ZONES = "/google/dns/v1/projects/raya-local/managedZones"
AT_ONCE = 8


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'"text"', "is not a JSON object"),
        (b'{"name": NaN}', "NaN is not a number of JSON"),
        (b'{"name": Infinity}', "is not a number of JSON"),
        (b'{"name": "\xff\xfe"}', "it is not UTF-8"),
        (b'{"name": "\\ud800"}', "it is not UTF-8"),
        (b'{"size": ' + b"9" * 5000 + b"}", "is not JSON"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
    ],
)
def test_bodies_that_are_no_json_objects(http: httpx.Client, body: bytes, says: str) -> None:
    for path in (SERVERS, ZONES, "/_control/settings"):
        answer = http.post(path, content=body)
        assert answer.status_code == 400
        assert says in answer.json()["error"]["message"]


def test_the_body_of_a_refused_request_is_not_repeated(cloud: RunningCloud, http: httpx.Client) -> None:
    answer = http.post(SERVERS, content=b'{"user_data": "canary \\ud800"}')
    assert "canary" not in answer.text + cloud.log


def test_a_body_has_a_bound(http: httpx.Client) -> None:
    for path in (SERVERS, ZONES):
        answer = http.post(path, content=b" " * (4 * 1024 * 1024 + 1))
        assert answer.status_code == 413
        assert "longer than 4194304 bytes" in answer.json()["error"]["message"]
    endless = (b" " * 65536 for _ in range(1000))
    assert http.post(SERVERS, content=endless).status_code == 413


def test_a_content_type_changes_nothing(http: httpx.Client) -> None:
    body = b'{"name": "state", "size": 10, "location": "hel1"}'
    answer = http.post(VOLUMES, content=body, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 201


def test_unknown_fields_are_ignored(http: httpx.Client) -> None:
    body = {"name": "state", "size": 10, "location": "hel1", "colour": "red"}
    assert "colour" not in http.post(VOLUMES, json=body).json()["volume"]


@pytest.mark.parametrize("number", ["-1", "0", "x", "1.5", "9" * 40, "9" * 5000, "\u0661" * 12])
def test_bad_numbers_in_queries(http: httpx.Client, number: str) -> None:
    assert http.get(SERVERS, params={"page": number}).status_code == 422
    assert http.get(ZONES, params={"maxResults": number}).status_code == 400
    if number != "0":
        assert http.get("/_control/events", params={"after": number}).status_code == 400


@pytest.mark.parametrize("sort", ["colour", "id:up", "id:asc:desc", ":desc", ""])
def test_bad_orders(http: httpx.Client, sort: str) -> None:
    answer = http.get(SERVERS, params={"sort": sort})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")


@pytest.mark.parametrize("key", ["x", "-1", "9" * 400, "..%2f..%2fetc%2fpasswd", "%00", "%ff"])
def test_ids_that_are_none(http: httpx.Client, key: str) -> None:
    assert http.get(f"{SERVERS}/{key}").status_code in (404, 501)
    assert http.get(f"/hcloud/v1/actions?id={key}").json()["actions"] == []
    assert http.get(f"/github/{key}.keys").status_code in (404, 501)


def test_a_page_token_of_nobody(http: httpx.Client) -> None:
    for token in ("LTU=", "OTk5OTk5OTk5OTk5"):  # -5, and far behind the end
        assert http.get(ZONES, params={"pageToken": token}).status_code == 200


def test_paths_lead_to_no_file(cloud: RunningCloud) -> None:
    for path in (
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/hcloud/v1/../../x",
    ):
        answer = _raw(cloud, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert answer.startswith("HTTP/1.1 501 ")
        assert "root:" not in answer


@pytest.mark.parametrize(
    ("scheme", "status"), [("Bearer ", 200), ("bearer ", 200), ("Basic ", 401), ("", 401)]
)
def test_ways_to_say_a_token(http: httpx.Client, scheme: str, status: int) -> None:
    answer = http.get(SERVERS, headers={"Authorization": f"{scheme}{TOKEN}".strip()})
    assert answer.status_code == status
    if status == 401:
        assert answer.json()["error"]["message"] == "token is required"
    nothing = http.get(SERVERS, headers={"Authorization": "Bearer"}).json()["error"]
    assert (nothing["code"], nothing["message"]) == ("unauthorized", "token is required")


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "PROPFIND", "PATCH"])
def test_other_methods_are_named(http: httpx.Client, method: str) -> None:
    answer = http.request(method, SERVERS)
    assert answer.status_code == 501
    assert answer.json()["error"]["message"].startswith(f"{method} {SERVERS} is not covered")


def test_head_is_get_without_the_body(http: httpx.Client) -> None:
    answer = http.head(SERVERS)
    assert (answer.status_code, answer.content) == (200, b"")


def test_options_of_the_whole_server(cloud: RunningCloud) -> None:
    answer = _raw(cloud, "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    assert answer.startswith("HTTP/1.1 501 ")


def _raw(cloud: RunningCloud, request: str) -> str:
    port = int(cloud.base_url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request.encode())
        parts = list(iter(lambda: connection.recv(65536), b""))
    return b"".join(parts).decode()


@pytest.mark.parametrize("path", [SERVERS, ZONES, "/_control/settings", "/nothing"])
def test_a_client_that_hangs_up_is_no_failure(cloud: RunningCloud, http: httpx.Client, path: str) -> None:
    before = cloud.log
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    begun = (
        f"{head}Content-Length: 1000\r\n\r\n",
        f'{head}Content-Length: 1000\r\n\r\n{{"name": "half',
        f'{head}Transfer-Encoding: chunked\r\n\r\n9\r\n{{"name": ',
    )
    port = int(cloud.base_url.rsplit(":", 1)[1])
    for request in begun:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(request.encode())
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(65536) == b""
    assert http.get(SERVERS).json()["servers"] == []
    assert cloud.log == before
    assert [each["method"] for each in cloud.requests()] == ["GET"], "what was not said is not logged"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
def test_a_page_of_another_origin_is_refused(cloud: RunningCloud, http: httpx.Client, origin: str) -> None:
    cloud.create_volume("state", size_gb=10, labels={})
    for method, path in (("POST", "/_control/reset"), ("GET", SERVERS), ("POST", ZONES)):
        answer = http.request(method, path, headers={"Origin": origin})
        assert answer.status_code == 403
        assert "pages of another origin" in answer.json()["error"]["message"]
    assert len(cloud.hetzner("volumes")) == 1


def test_its_own_page_is_let_in(cloud: RunningCloud, http: httpx.Client) -> None:
    assert http.get(SERVERS, headers={"Origin": cloud.base_url}).status_code == 200


def _at_once(attempt: Callable[[int], object]) -> list[str]:
    """What came of simultaneous attempts: "done", or the code of the refusal."""

    def outcome(number: int) -> str:
        try:
            attempt(number)
        except APIException as refusal:
            return str(refusal.code)
        return "done"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sorted(pool.map(outcome, range(AT_ONCE)))


def _client(cloud: RunningCloud) -> hcloud.Client:
    return hcloud.Client(TOKEN, api_endpoint=cloud.hcloud_endpoint, poll_interval=0.01)


def test_of_many_that_want_a_name_one_gets_it(cloud: RunningCloud) -> None:
    outcomes = _at_once(
        lambda number: _client(cloud).volumes.create(10, "state", location=Location(name="hel1"))
    )
    assert outcomes == ["done"] + ["uniqueness_error"] * (AT_ONCE - 1)
    assert len(cloud.hetzner("volumes")) == 1


def test_of_many_that_want_an_address_one_gets_it(
    cloud: RunningCloud, make_server: MakeServer, network: BoundNetwork
) -> None:
    servers = [make_server(f"server-{number}") for number in range(AT_ONCE)]

    def attach(number: int) -> None:
        server = _client(cloud).servers.get_by_id(servers[number].id)
        server.attach_to_network(network, ip="10.0.1.20")

    assert _at_once(attach) == ["done"] + ["ip_not_available"] * (AT_ONCE - 1)


def test_of_many_that_want_a_volume_one_gets_it(cloud: RunningCloud, make_server: MakeServer) -> None:
    cloud.settings(actionSeconds=0)
    servers = [make_server(f"server-{number}") for number in range(AT_ONCE)]
    volume = cloud.create_volume("state", size_gb=10, labels={})
    outcomes = _at_once(lambda number: _client(cloud).volumes.get_by_id(volume["id"]).attach(servers[number]))
    assert outcomes == ["done"] + ["volume_already_attached"] * (AT_ONCE - 1)
