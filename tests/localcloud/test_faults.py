"""Faults on demand."""

from __future__ import annotations

import time
from typing import Any

import hcloud
import httpx
import pytest
from hcloud import APIException
from hcloud.actions import ActionFailedException
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.networks import BoundNetwork
from hcloud.server_types import ServerType

from localcloud.fault_kinds import CREATE
from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

HEL1, CX23, DEBIAN = Location(name="hel1"), ServerType(name="cx23"), Image(name="debian-12")
CREATE_SERVER = {"method": "POST", "path": "/hcloud/v1/servers$"}


def test_the_third_server_is_refused(cloud: RunningCloud, make_server: MakeServer) -> None:
    cloud.fault("status", **CREATE_SERVER, nth=3, status=412, code="resource_unavailable", message="no room")
    refused = []
    for number in range(5):
        try:
            make_server(f"agent-{number}")
        except APIException as error:
            refused.append((number, error.code))
    assert refused == [(2, "resource_unavailable")]
    make_server("agent-2")


def test_a_fault_by_name(cloud: RunningCloud, make_server: MakeServer) -> None:
    cloud.fault("status", **CREATE_SERVER, name="agent-1", status=412, code="resource_unavailable")
    make_server("agent-0")
    with pytest.raises(APIException):
        make_server("agent-1")


def test_a_fault_for_a_while(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.fault("status", path="^/hcloud/", status=429, code="rate_limit_exceeded", seconds=10)
    cloud.fault("status", path="^/google/", status=500, code="backendError", seconds=10)
    assert [http.get("/hcloud/v1/servers").status_code for _ in range(3)] == [429, 429, 429]
    answer = http.get("/google/cloudresourcemanager/v1/projects")
    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == (500, "backendError")
    cloud.advance(11)
    assert http.get("/hcloud/v1/servers").status_code == 200


def test_the_client_lives_through_a_429(cloud: RunningCloud, hetzner: hcloud.Client) -> None:
    cloud.fault("status", path="^/hcloud/", status=429, code="rate_limit_exceeded")
    assert hetzner.servers.get_all() == []


def test_an_error_after_the_work_was_done(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.fault("status", path="/volumes$", status=500, carriedOut=True)
    body = {"name": "state", "size": 10, "location": "hel1"}
    assert http.post("/hcloud/v1/volumes", json=body).status_code == 500
    assert [volume["name"] for volume in cloud.hetzner("volumes")] == ["state"]


@pytest.mark.parametrize("carried_out", [True, False])
def test_the_connection_is_cut_in_the_middle_of_an_answer(
    cloud: RunningCloud, http: httpx.Client, carried_out: bool
) -> None:
    cloud.fault("drop", method="POST", path="/volumes$", carriedOut=carried_out)
    with pytest.raises(httpx.RemoteProtocolError):
        http.post("/hcloud/v1/volumes", json={"name": "state", "size": 10, "location": "hel1"})
    assert len(cloud.hetzner("volumes")) == int(carried_out)


def test_a_request_hangs_and_others_do_not(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.fault("hang", path="/networks$", delaySeconds=0.5)
    with pytest.raises(httpx.ReadTimeout):
        http.get("/hcloud/v1/networks", timeout=0.1)
    begun = time.monotonic()
    assert http.get("/hcloud/v1/servers").status_code == 200
    assert time.monotonic() - begun < 0.3


def test_an_action_that_fails_leaves_nothing(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    cloud.fault("action", command="create_server", name="agent-0", code="server_error")
    with pytest.raises(ActionFailedException):
        make_server("agent-0")
    server = make_server("agent-0")
    cloud.fault("action", command="attach_to_network")
    with pytest.raises(ActionFailedException):
        server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    made = hetzner.volumes.create(10, "state", location=Location(name="hel1"))
    made.action.wait_until_finished()
    cloud.fault("action", command="attach_volume")
    with pytest.raises(ActionFailedException):
        made.volume.attach(server).wait_until_finished()
    assert hetzner.volumes.get_by_id(made.volume.id).server is None


def test_a_released_address_and_volume_stay_busy(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    made = hetzner.volumes.create(10, "state", location=Location(name="hel1"))
    made.action.wait_until_finished()
    first, second = make_server("one"), make_server("two")
    first.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    made.volume.attach(first).wait_until_finished()
    cloud.fault("release", what="private_ip", delaySeconds=60)
    cloud.fault("release", what="volume", delaySeconds=60)
    first.delete().wait_until_finished()
    with pytest.raises(APIException) as refused:
        second.attach_to_network(network, ip="10.0.1.20")
    assert refused.value.code == "ip_not_available"
    with pytest.raises(APIException) as refused:
        made.volume.attach(second)
    assert refused.value.code == "volume_already_attached"
    cloud.advance(61)
    second.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    made.volume.attach(second).wait_until_finished()


def test_the_table_shows_what_struck_and_is_cleared(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.fault("status", path="/servers$", times=None)
    http.get("/hcloud/v1/servers")
    http.get("/hcloud/v1/servers")
    (fault,) = cloud.control("GET", "faults")["faults"]
    assert (fault["seen"], fault["struck"]) == (2, 2)
    assert [each["fault"] for each in cloud.requests()] == ["status", "status"]
    cloud.clear_faults()
    assert http.get("/hcloud/v1/servers").status_code == 200


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("server", lambda cloud, client: client.servers.create("s", CX23, DEBIAN)),
        ("volume", lambda cloud, client: client.volumes.create(10, "v", location=HEL1)),
        ("network", lambda cloud, client: client.networks.create("n", "10.0.0.0/16")),
        ("firewall", lambda cloud, client: client.firewalls.create("f")),
        ("primary_ip", lambda cloud, client: client.primary_ips.create("ipv4", "p", location=HEL1)),
        ("placement_group", lambda cloud, client: client.placement_groups.create("g", "spread")),
        ("ssh_key", lambda cloud, client: client.ssh_keys.create("k", "ssh-ed25519 AAAA")),
    ],
)
def test_the_creation_of_a_kind_is_refused_with_a_code(
    cloud: RunningCloud, hetzner: hcloud.Client, kind: str, make: Any
) -> None:
    cloud.control("POST", "faults", {"create": kind, "code": "resource_unavailable"})
    with pytest.raises(APIException) as refused:
        make(cloud, hetzner)
    assert refused.value.code == "resource_unavailable"
    make(cloud, hetzner)
    assert [event["event"] for event in cloud.events()].count(f"{kind}.create") == 1


def test_the_nth_creation_by_name_and_its_status(cloud: RunningCloud, http: httpx.Client) -> None:
    spec = {"create": "volume", "nth": 3, "times": 2, "code": "conflict", "message": "not now"}
    assert cloud.control("POST", "faults", spec)["status"] == 409
    body = {"size": 10, "location": "hel1"}
    answers = [http.post("/hcloud/v1/volumes", json={"name": f"v{number}", **body}) for number in range(5)]
    assert [answer.status_code for answer in answers] == [201, 201, 409, 409, 201]
    assert answers[2].json()["error"] == {"code": "conflict", "message": "not now", "details": None}


@pytest.mark.parametrize(
    ("kind", "path", "body"),
    [
        ("subnet", "/hcloud/v1/networks/1/actions/add_subnet", {}),
        ("route", "/hcloud/v1/networks/1/actions/add_route", {}),
        ("network_attachment", "/hcloud/v1/servers/1/actions/attach_to_network", {}),
        ("volume_attachment", "/hcloud/v1/volumes/1/actions/attach", {}),
        ("zone", "/google/dns/v1/projects/raya-local/managedZones", {}),
        ("record_change", "/google/dns/v1/projects/raya-local/managedZones/example-org/changes", {}),
        ("account", "/google/iam/v1/projects/raya-local/serviceAccounts", {}),
        ("account_key", "/google/iam/v1/projects/raya-local/serviceAccounts/a/keys", {}),
        ("policy", "/google/cloudresourcemanager/v1/projects/raya-local:setIamPolicy", {}),
    ],
)
def test_kinds_that_are_created_elsewhere(
    cloud: RunningCloud, http: httpx.Client, kind: str, path: str, body: dict[str, Any]
) -> None:
    cloud.control("POST", "faults", {"create": kind, "status": 500, "code": "backendError"})
    assert http.get(path).status_code != 500
    assert http.post(path, json=body).status_code == 500
    assert http.post(path, json=body).status_code != 500


def test_every_kind_that_can_be_created_is_tried_here() -> None:
    tried = {mark.args[1][index][0] for mark in _marks() for index in range(len(mark.args[1]))}
    assert tried == set(CREATE)


def _marks() -> list[Any]:
    tests = (test_the_creation_of_a_kind_is_refused_with_a_code, test_kinds_that_are_created_elsewhere)
    return [mark for test in tests for mark in test.pytestmark]  # type: ignore[attr-defined]  # pytest adds it


@pytest.mark.parametrize("kind", ["server", "volume", "zone", "account"])
def test_a_deletion_is_refused(cloud: RunningCloud, http: httpx.Client, kind: str) -> None:
    cloud.control("POST", "faults", {"delete": kind, "code": "conflict"})
    path = {
        "server": "/hcloud/v1/servers/1",
        "volume": "/hcloud/v1/volumes/1",
        "zone": "/google/dns/v1/projects/raya-local/managedZones/none",
        "account": "/google/iam/v1/projects/raya-local/serviceAccounts/none",
    }[kind]
    assert [http.delete(path).status_code for _ in range(2)] == [409, 404]


def test_a_timeout_before_and_after_the_work(cloud: RunningCloud, http: httpx.Client) -> None:
    for number, carried_out in enumerate((True, False)):
        cloud.control(
            "POST",
            "faults",
            {"kind": "hang", "create": "volume", "delaySeconds": 0.6, "carriedOut": carried_out},
        )
        body = {"name": f"v{number}", "size": 10, "location": "hel1"}
        with pytest.raises(httpx.ReadTimeout):
            http.post("/hcloud/v1/volumes", json=body, timeout=0.15)
        names = [volume["name"] for volume in cloud.hetzner("volumes")]
        assert names == ["v0"], "the first is done before its answer waits, the second waits to be done"


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_restart_instead_of_an_answer(cloud: RunningCloud, http: httpx.Client, carried_out: bool) -> None:
    cloud.settings(actionSeconds=1000)
    cloud.control("POST", "faults", {"kind": "restart", "create": "volume", "carriedOut": carried_out})
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        http.post("/hcloud/v1/volumes", json={"name": "state", "size": 10, "location": "hel1"})
    # The next request waits for the new process instead of being refused.
    volumes = httpx.get(f"{cloud.hcloud_endpoint}/volumes", headers=http.headers, timeout=30).json()[
        "volumes"
    ]
    assert [(volume["name"], volume["status"]) for volume in volumes] == (
        [("state", "creating")] if carried_out else []
    )
    (fault,) = cloud.control("GET", "faults")["faults"]
    assert fault["struck"] == 1, "it does not strike again after the restart"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ({"kind": "earthquake"}, "a fault's kind is one of status, hang, drop, restart, action, release"),
        ({"kind": ["status"]}, "a fault's kind is one of"),
        ({}, "a fault's kind is one of"),
        (
            {"kind": "hang", "colour": "red"},
            "of the kind hang has no key colour; it has kind, name, nth",
        ),
        ({"kind": "status", "path": "("}, "path: is not a regular expression"),
        ({"kind": "status", "path": 1}, "path: Input should be a valid string"),
        ({"kind": "status", "path": "x" * 1001}, "path: String should have at most 1000 characters"),
        ({"kind": "status", "nth": 0}, "nth: Input should be greater than or equal to 1"),
        ({"kind": "status", "nth": "3"}, "nth: Input should be a valid integer"),
        ({"kind": "status", "times": -1}, "times: Input should be greater than or equal to 1"),
        ({"kind": "status", "seconds": 0}, "seconds: Input should be greater than 0"),
        ({"kind": "status", "seconds": 10**400}, "seconds: "),
        ({"kind": "status", "status": 200}, "status: Input should be greater than or equal to 400"),
        ({"kind": "status", "status": "500"}, "status: Input should be a valid integer"),
        ({"kind": "status", "method": "get"}, "method: Input should be 'GET', 'POST'"),
        ({"kind": "status", "carriedOut": "yes"}, "carriedOut: Input should be a valid boolean"),
        ({"kind": "hang", "delaySeconds": -1}, "delaySeconds: Input should be greater than or equal to 0"),
        ({"kind": "hang", "delaySeconds": "soon"}, "delaySeconds: Input should be a valid number"),
        ({"kind": "action"}, "command: Field required"),
        ({"kind": "release", "what": "server"}, "what: Input should be 'private_ip' or 'volume'"),
        ({"kind": "late_account", "misses": True}, "misses: Input should be a valid integer"),
        ({"create": "moon"}, "create: Input should be 'server', 'network'"),
        ({"create": "server", "path": "x"}, "give create, or delete, or method and path"),
        (
            {"kind": "action", "command": "c", "create": "server"},
            "of the kind action has no key create",
        ),
    ],
)
def test_a_bad_fault_is_refused_in_a_sentence(
    cloud: RunningCloud, http: httpx.Client, fault: dict[str, Any], says: str
) -> None:
    answer = http.post("/_control/faults", json=fault)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]
    assert cloud.control("GET", "faults")["faults"] == []
    assert http.get("/hcloud/v1/servers").status_code == 200
