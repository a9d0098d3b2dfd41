"""What an account may have, and what is on sale."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import hcloud
import httpx
import pytest
from hcloud import APIException
from hcloud.images import BoundImage, Image
from hcloud.locations import Location
from hcloud.networks import BoundNetwork, NetworkSubnet

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer

API = "/hcloud/v1"
HEL1 = Location(name="hel1")


@pytest.mark.parametrize(
    ("setting", "make", "limit"),
    [
        ("serverLimit", lambda client, server: server("two"), "server"),
        ("primaryIpLimit", lambda client, server: server("two"), "primary_ip"),
        (
            "volumeLimit",
            lambda client, server: client.volumes.create(10, "v", location=HEL1),
            "volume",
        ),
        ("networkLimit", lambda client, server: client.networks.create("n", "10.0.0.0/16"), "network"),
    ],
)
def test_an_account_has_limits(
    cloud: RunningCloud, hetzner: hcloud.Client, make_server: MakeServer, setting: str, make: Any, limit: str
) -> None:
    make_server("one")
    cloud.settings(**{setting: {"serverLimit": 1, "primaryIpLimit": 2}.get(setting, 0)})
    with pytest.raises(APIException) as refused:
        make(hetzner, make_server)
    assert refused.value.code == "resource_limit_exceeded"
    assert refused.value.details["limits"] == [{"name": f"{limit}_limit"}]
    assert len(hetzner.primary_ips.get_all()) == 2, "nothing is left of the refused order"


def test_dedicated_cores_are_limited_by_themselves(cloud: RunningCloud, make_server: MakeServer) -> None:
    cloud.settings(dedicatedCoreLimit=4)
    make_server("shared", "cx33")
    make_server("one", "ccx13")
    with pytest.raises(APIException) as refused:
        make_server("two", "ccx23")
    assert refused.value.message == "dedicated core limit exceeded"
    make_server("three", "ccx13")


def test_a_type_whose_end_is_announced_can_be_ordered_until_then(
    cloud: RunningCloud, hetzner: hcloud.Client, http: httpx.Client, make_server: MakeServer
) -> None:
    end = datetime.now(UTC).replace(microsecond=0) + timedelta(days=30)
    cloud.settings(leaving={"cx23@hel1": end.strftime("%Y-%m-%dT%H:%M:%SZ")})
    make_server("one")
    server_type = hetzner.server_types.get_by_name("cx23")
    assert server_type is not None
    offers = {offer.location.name: offer for offer in server_type.locations or []}
    assert offers["hel1"].deprecation.unavailable_after == end
    assert offers["fsn1"].deprecation is None
    for name, everywhere in (("cx23", False), ("cx22", True), ("cpx11", False)):
        (shown,) = http.get(f"{API}/server_types?name={name}").json()["server_types"]
        assert (shown["deprecated"], shown["deprecation"] is not None) == (everywhere, everywhere)
    cloud.advance(31 * 86400)
    with pytest.raises(APIException) as refused:
        make_server("two")
    assert refused.value.code == "invalid_input"
    make_server("two", location="fsn1")


def test_a_type_is_changed_only_to_one_on_sale(
    cloud: RunningCloud, make_server: MakeServer, http: httpx.Client
) -> None:
    near, far = make_server("one"), make_server("two", "cpx22", "sin")
    for server in (near, far):
        server.power_off().wait_until_finished()
    cloud.settings(soldOut=["cx33@hel1"])
    for server, server_type, status, code in (
        (near, "cx33", 412, "resource_unavailable"),
        (near, "cx22", 422, "invalid_server_type"),
        (far, "cx43", 422, "invalid_server_type"),
    ):
        order = {"server_type": server_type, "upgrade_disk": False}
        answer = http.post(f"{API}/servers/{server.id}/actions/change_type", json=order)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_rebuild_takes_only_an_image_that_fits(
    hetzner: hcloud.Client, make_server: MakeServer, http: httpx.Client, cloud: RunningCloud
) -> None:
    server = make_server("one", user_data="first")
    (arm,) = hetzner.images.get_all(label_selector="os=fcos", architecture=["arm"])
    with pytest.raises(APIException) as refused:
        server.rebuild(Image(id=arm.id))
    assert refused.value.code == "invalid_input"
    path = f"{API}/servers/{server.id}/actions/rebuild"
    order = {"image": "debian-12", "user_data": "x" * 32769}
    assert http.post(path, json=order).json()["error"]["details"]["fields"][0]["name"] == "user_data"
    assert http.post(path, json=order | {"user_data": "second"}).status_code == 201
    assert cloud.user_data("one") == "second"


def test_images_of_hetzners_own_stay(hetzner: hcloud.Client, image: BoundImage) -> None:
    (system,) = hetzner.images.get_all(name="debian-12", architecture=["x86"])
    with pytest.raises(APIException) as refused:
        system.delete()
    assert refused.value.code == "forbidden"
    image.delete()


def _subnet(ip_range: str) -> NetworkSubnet:
    return NetworkSubnet(type="cloud", ip_range=ip_range, network_zone="eu-central")


def test_a_server_is_ordered_with_few_networks_and_volumes(
    hetzner: hcloud.Client, cloud: RunningCloud, http: httpx.Client
) -> None:
    cloud.settings(actionSeconds=0)
    volumes = [cloud.create_volume(f"v{number}", size_gb=10, labels={})["id"] for number in range(17)]
    networks = []
    for number in range(4):
        made = hetzner.networks.create(f"n{number}", ip_range=f"10.{number}.0.0/16")
        made.add_subnet(_subnet(f"10.{number}.1.0/24"))
        networks.append(made.id)
    overlapping = hetzner.networks.create("again", ip_range="10.0.0.0/16")
    overlapping.add_subnet(_subnet("10.0.1.0/24"))
    order = {"name": "one", "server_type": "cx23", "location": "hel1", "image": "debian-12"}
    for more, code in (
        ({"volumes": volumes}, "resource_limit_exceeded"),
        ({"volumes": volumes[:1] * 2}, "invalid_input"),
        ({"networks": networks}, "resource_limit_exceeded"),
        ({"networks": [networks[0], overlapping.id]}, "networks_overlap"),
    ):
        assert http.post(f"{API}/servers", json=order | more).json()["error"]["code"] == code
    answer = http.post(f"{API}/servers", json=order | {"volumes": volumes[:16], "networks": networks[:3]})
    assert answer.status_code == 201
    cloud.advance(1)
    server = {"server": answer.json()["server"]["id"]}
    for path, body in (
        (f"volumes/{volumes[16]}/actions/attach", server),
        ("volumes", {"name": "seventeenth", "size": 10} | server),
    ):
        refused = http.post(f"{API}/{path}", json=body)
        assert refused.json()["error"]["code"] == "resource_limit_exceeded"


def test_a_placement_group_takes_no_eleventh_server_later(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer
) -> None:
    cloud.settings(actionSeconds=0)
    body = {"name": "spread", "type": "spread"}
    group = http.post(f"{API}/placement_groups", json=body).json()["placement_group"]
    answers = []
    for number in range(11):
        server = make_server(f"server-{number}")
        server.power_off().wait_until_finished()
        path = f"{API}/servers/{server.id}/actions/add_to_placement_group"
        answers.append(http.post(path, json={"placement_group": group["id"]}))
    assert [answer.status_code for answer in answers] == [201] * 10 + [422]
    assert answers[-1].json()["error"]["code"] == "placement_error"


def test_what_cannot_change_does_not(
    cloud: RunningCloud, http: httpx.Client, make_server: MakeServer, network: BoundNetwork
) -> None:
    cloud.settings(actionSeconds=0)
    server = make_server("one")
    volume = cloud.create_volume("state", size_gb=10, labels={})
    for path, fixed in (
        (f"servers/{server.id}", {"location": "fsn1", "server_type": "cx33", "user_data": "y", "image": 1}),
        (
            f"volumes/{volume['id']}",
            {"location": "fsn1", "size": 20, "format": "xfs", "linux_device": "x"},
        ),
        (f"networks/{network.id}", {"ip_range": "10.1.0.0/16", "subnets": []}),
    ):
        kind = path.split("s/")[0]
        before = http.get(f"{API}/{path}").json()[kind]
        after = http.put(f"{API}/{path}", json={**fixed, "id": 1, "labels": {"a": "b"}}).json()[kind]
        assert after == before | {"labels": {"a": "b"}}


def test_datacenters_are_gone(http: httpx.Client) -> None:
    for path in ("datacenters", "datacenters/1"):
        answer = http.get(f"{API}/{path}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (410, "deprecated_api_endpoint")


@pytest.mark.parametrize(("code", "status"), [("protected", 423), ("uniqueness_error", 409)])
def test_codes_have_their_status(http: httpx.Client, cloud: RunningCloud, code: str, status: int) -> None:
    cloud.settings(actionSeconds=0)
    volume = cloud.create_volume("state", size_gb=10, labels={})
    http.post(f"{API}/volumes/{volume['id']}/actions/change_protection", json={"delete": True})
    refused = {
        "protected": lambda: http.delete(f"{API}/volumes/{volume['id']}"),
        "uniqueness_error": lambda: http.post(
            f"{API}/volumes", json={"name": "state", "size": 10, "location": "hel1"}
        ),
    }[code]()
    assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
