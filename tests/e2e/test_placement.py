"""Another type, another place, another size: what is rebuilt, what is refused before any change."""

from __future__ import annotations

import pytest

from tests.cloud import RunningCloud
from tests.e2e.engine import Engine


@pytest.fixture(scope="module", autouse=True)
def _running(engine: Engine) -> None:
    engine.fleet({}, {})
    engine.configure("raya:controlPlane.volumeSizeGb", "20")
    engine.up()


def _refused(engine: Engine, cloud: RunningCloud) -> str:
    mark = len(cloud.events())
    ran = engine.up(check=False)
    assert ran.returncode != 0
    assert cloud.events()[mark:] == []
    shown = " ".join((ran.stdout + ran.stderr).split())
    assert "Traceback" not in shown
    return shown


def test_another_type_is_another_machine_shut_down_first(engine: Engine, cloud: RunningCloud) -> None:
    engine.fleet({}, {"serverType": "cpx22"})
    assert engine.planned()["replace"] == {"Server::agent-1", "ServerNetwork::agent-1"}
    mark = len(cloud.events())
    engine.up()
    happened = [each["text"] for each in cloud.events()[mark:]]
    assert happened.index("server.shutdown agent-1") < happened.index("server.delete agent-1")
    assert not [text for text in happened if "poweroff" in text]
    assert {each["name"]: each["server_type"]["name"] for each in cloud.hetzner("servers")}[
        "agent-1"
    ] == "cpx22"


def test_h7_a_running_machine_is_not_given_to_a_type_that_cannot_be_had(
    engine: Engine, cloud: RunningCloud
) -> None:
    engine.fleet({}, {"serverType": "cx99"})
    assert "agent-1: Hetzner has no server type cx99" in _refused(engine, cloud)
    engine.fleet({}, {"serverType": "cpx22"})


def test_another_type_for_all_is_announced(engine: Engine) -> None:
    engine.configure("raya:agents.serverType", "cx33")
    engine.fleet({}, {})
    shown = engine.preview()
    assert "this update rebuilds every agent (2), because of serverType" in shown.stdout + shown.stderr
    engine.configure("raya:agents.serverType", "cx23")
    engine.fleet({}, {"serverType": "cpx22"})


def test_the_state_volume_neither_moves_nor_shrinks(engine: Engine, cloud: RunningCloud) -> None:
    engine.configure("raya:location", "fsn1")
    engine.configure("raya:controlPlane.volumeSizeGb", "10")
    shown = _refused(engine, cloud)
    assert "the cluster's state volume is in hel1 and a volume cannot be moved" in shown
    assert "the state volume has 20 GB and a volume cannot shrink" in shown
    engine.configure("raya:location", "hel1")
    engine.configure("raya:controlPlane.volumeSizeGb", "20")


@pytest.mark.parametrize("status", [401, 503])
def test_a_lookup_that_fails_is_a_sentence(engine: Engine, cloud: RunningCloud, status: int) -> None:
    code = {401: "unauthorized", 503: "unavailable"}[status]
    cloud.fault("status", method="GET", path="/(server_types|images)$", status=status, code=code, times=None)
    assert "the Hetzner API did not say which server types there are" in _refused(engine, cloud)
    cloud.clear_faults()


def test_h12_an_address_that_is_given_back_late_is_waited_for(engine: Engine, cloud: RunningCloud) -> None:
    cloud.fault("release", what="private_ip", delaySeconds=3, times=None)
    cloud.fault("release", what="volume", delaySeconds=3, times=None)
    engine.up("--replace", "**hcloud:index/server:Server::*")
    cloud.clear_faults()
    engine.preview("--expect-no-changes")
    attached = {each["name"]: each["private_net"][0]["ip"] for each in cloud.hetzner("servers")}
    assert attached == {"control-plane": "10.0.1.10", "agent-0": "10.0.1.20", "agent-1": "10.0.1.21"}


def test_h7_the_third_of_five_is_out_of_stock(engine: Engine, cloud: RunningCloud) -> None:
    before = {each["name"]: each["id"] for each in cloud.hetzner("servers")}
    engine.fleet({}, {"serverType": "cpx22"}, {}, {}, {})
    cloud.fault(
        "status", method="POST", path="/servers$", name="agent-3", status=412, code="resource_unavailable"
    )
    failed = engine.up("--continue-on-error", check=False)
    assert failed.returncode != 0
    assert "agent-3" in failed.stdout + failed.stderr
    assert "resource_unavailable" in failed.stdout + failed.stderr
    made = {each["name"]: each["id"] for each in cloud.hetzner("servers")}
    assert before.items() <= made.items()
    assert set(made) == {*before, "agent-2", "agent-4"}
    assert {"Server::agent-3"} == {name for name in engine.planned()["create"] if name.startswith("Server::")}
    engine.up()
    again = {each["name"]: each["id"] for each in cloud.hetzner("servers")}
    assert made.items() <= again.items()
    assert "agent-3" in again


def test_another_private_network_is_announced_and_rebuilds_every_machine(
    engine: Engine, cloud: RunningCloud
) -> None:
    before = {each["id"] for each in cloud.hetzner("servers")}
    (volume,) = cloud.hetzner("volumes")
    engine.configure("raya:network.range", "10.0.0.0/15")
    shown = engine.preview()
    assert "this update rebuilds the control plane and every agent (5)" in shown.stdout + shown.stderr
    mark = len(cloud.events())
    engine.up()
    assert not before & {each["id"] for each in cloud.hetzner("servers")}
    assert [each["id"] for each in cloud.hetzner("volumes")] == [volume["id"]]
    detached = [each["text"] for each in cloud.events()[mark:] if each["event"] == "volume.detach"]
    assert len(detached) == 1
    assert "running" not in detached[0]
