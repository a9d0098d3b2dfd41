"""Faults on demand."""

from __future__ import annotations

import time

import hcloud
import httpx
import pytest
from hcloud import APIException
from hcloud.actions import ActionFailedException
from hcloud.locations import Location
from hcloud.networks import BoundNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

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


@pytest.mark.parametrize("fault", [{"kind": "earthquake"}, {"kind": "hang", "colour": "red"}, {}])
def test_bad_fault(cloud: RunningCloud, http: httpx.Client, fault: dict[str, str]) -> None:
    assert http.post("/_control/faults", json=fault).status_code == 400
