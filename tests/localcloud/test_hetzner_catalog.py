"""What the local cloud offers: its images, server types, locations and prices."""

from __future__ import annotations

import hcloud
import pytest

from tests.cloud import RunningCloud


def test_images_by_selector_and_architecture_newest_first(
    cloud: RunningCloud, hetzner: hcloud.Client
) -> None:
    for description in ("older", "newer"):
        snapshot = {"labels": {"os": "fcos", "v": "2"}, "architecture": "x86", "description": description}
        cloud.seed({"snapshots": [snapshot]})
        cloud.advance(1)
    found = hetzner.images.get_all(
        type=["snapshot"], label_selector="os=fcos,v=2", architecture=["x86"],
        sort=["created:desc"],
    )  # fmt: skip
    assert [image.description for image in found] == ["newer", "older"]
    assert hetzner.images.get_by_name_and_architecture("debian-12", "arm").architecture == "arm"


def test_types_have_prices_and_offers(hetzner: hcloud.Client) -> None:
    names = {"cx23", "cx33", "cx43", "cx53", "cpx22", "cpx32", "cax11", "cax21", "cax31", "ccx13"}
    assert names <= {each.name for each in hetzner.server_types.get_all()}
    cx23 = hetzner.server_types.get_by_name("cx23")
    assert {price["location"] for price in cx23.prices} == {"fsn1", "nbg1", "hel1"}
    for price in cx23.prices:
        assert float(price["price_monthly"]["gross"]) == pytest.approx(
            float(price["price_monthly"]["net"]) * 1.19
        )
    assert hetzner.server_types.get_by_name("cax11").architecture == "arm"
    assert all(offer.deprecation for offer in hetzner.server_types.get_by_name("cx22").locations)


def test_locations_have_zones(hetzner: hcloud.Client) -> None:
    zones = {each.name: each.network_zone for each in hetzner.locations.get_all()}
    assert zones == {
        "fsn1": "eu-central",
        "nbg1": "eu-central",
        "hel1": "eu-central",
        "ash": "us-east",
        "hil": "us-west",
        "sin": "ap-southeast",
    }


def test_price_list(cloud: RunningCloud) -> None:
    pricing = cloud.pricing()
    assert float(pricing["volume"]["price_per_gb_month"]["net"]) == pytest.approx(0.044)
    assert {entry["type"] for entry in pricing["primary_ips"]} == {"ipv4", "ipv6"}
    assert {entry["name"] for entry in pricing["server_types"]} >= {"cx23", "cax11"}
