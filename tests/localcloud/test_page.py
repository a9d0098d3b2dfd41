"""The page for people."""

from __future__ import annotations

import hcloud
import httpx
from hcloud.networks import BoundNetwork

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer


def test_an_empty_cloud_says_so(http: httpx.Client) -> None:
    page = http.get("/")
    assert page.status_code == 200
    assert "No server yet." in page.text
    assert "0.00 € a month" in page.text


def test_it_shows_what_exists_and_what_it_costs(
    cloud: RunningCloud,
    hetzner: hcloud.Client,
    http: httpx.Client,
    make_server: MakeServer,
    network: BoundNetwork,
) -> None:
    server = make_server("agent-0", user_data="canary-user-data")
    server.attach_to_network(network, ip="10.0.1.20").wait_until_finished()
    cloud.create_volume("local-state", size_gb=10, labels={})
    cloud.add_record("example.org.", "cp.example.org.", "TXT", ['"<script>"'])
    page = http.get("/").text
    for shown in ("agent-0", "10.0.1.20", "local-state", "cp.example.org.", "server.create agent-0"):
        assert shown in page
    net = 3.49 + 0.5 + 10 * 0.044
    assert f"{net:.2f} € a month, {net * 1.19:.2f} € with VAT" in page
    assert "canary-user-data" not in page
    assert "<script>" not in page


def test_it_loads_nothing_from_elsewhere(http: httpx.Client) -> None:
    page = http.get("/")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert "http://" not in page.text
    assert "https://" not in page.text
