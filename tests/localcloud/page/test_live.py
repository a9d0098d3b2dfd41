"""The page in a real browser: it shows what the API has, and goes on showing it."""

from __future__ import annotations

import re

import hcloud
import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.cloud import RunningCloud
from tests.localcloud.conftest import MakeServer
from tests.localcloud.page.conftest import PHONE, OpenPage
from tests.localcloud.page.scene import make_scene


@pytest.fixture
def scene(cloud: RunningCloud, hetzner: hcloud.Client) -> RunningCloud:
    make_scene(cloud, hetzner)
    return cloud


def machine(page: Page, name: str) -> Locator:
    """The row of a machine."""
    return page.locator(".machines").get_by_role("row", name=name)


def section(page: Page, name: str | re.Pattern[str]) -> str:
    """The text of a section."""
    return page.get_by_role("region", name=name).inner_text()


def test_it_shows_what_the_api_has(scene: RunningCloud, hetzner: hcloud.Client, open_page: OpenPage) -> None:
    page = open_page()
    machines = page.get_by_role("table", name="Machines", exact=True).get_by_role("row")
    shown = [row.inner_text() for row in machines.all()[1:]]
    servers = hetzner.servers.get_all()
    assert len(shown) == len(servers) == 4
    for row, server in zip(shown, servers, strict=True):
        assert server.public_net is not None
        assert server.public_net.ipv4 is not None
        for value in (server.name, server.status, server.public_net.ipv4.ip, server.private_net[0].ip):
            assert str(value) in row
    cluster = section(page, re.compile("Cluster prod"))
    for words in (
        *("Subnet 10.0.1.0/24 eu-central", "4 of 100 places taken", "Protects 4 machines"),
        *("TCP 22 from 203.0.113.0/24", "SSH from the office", "TCP 443 from anywhere"),
        *("Nothing else comes in; everything goes out.", "prod-state", "10 GB"),
    ):
        assert words in cluster
    for record in scene.records("k8s.example.org."):
        assert record["rrdatas"][0] in section(page, "DNS zones")
    assert "Delegated from example.org." in section(page, "DNS zones")
    net = 6.49 + 3 * 3.49 + 4 * 0.5 + 10 * 0.044 + 0.9 * 0.011
    assert re.search(rf"Sum\s+{net:.2f} €\s+{net * 1.19:.2f} €", section(page, "Monthly cost"))
    assert "from the 3rd on, once" in section(page, "Summary")
    assert "/managedZones/example-org/rrsets" in section(page, "Last requests")


def test_a_new_server_appears_in_an_open_page_and_a_deleted_one_goes(
    scene: RunningCloud, make_server: MakeServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.evaluate("window.opened = true")
    scene.clear_faults()
    server = make_server("newcomer", labels={"cluster": "prod"})
    expect(machine(page, "newcomer")).to_be_visible()
    expect(page.locator(".tiles")).to_contain_text("all running")
    server.delete().wait_until_finished()
    expect(machine(page, "newcomer")).to_have_count(0)
    assert page.evaluate("window.opened"), "the page was loaded anew"


def test_the_first_cluster_appears_in_an_open_page(
    cloud: RunningCloud, make_server: MakeServer, open_page: OpenPage
) -> None:
    page = open_page()
    expect(page.get_by_text("No machine, network, volume or firewall yet.")).to_be_visible()
    make_server("control-plane", labels={"cluster": "blue"})
    expect(page.get_by_role("heading", name="Cluster blue")).to_be_visible()
    expect(page.get_by_text("No machine, network, volume or firewall yet.")).to_have_count(0)
    sections = page.locator("main > section").evaluate_all("all => all.map(each => each.id)")
    assert sections == ["summary", "cluster:blue", "dns", "cost", "actions", "events", "requests"]


def test_an_action_shows_its_progress(cloud: RunningCloud, http: httpx.Client, open_page: OpenPage) -> None:
    page = open_page()
    cloud.control("POST", "settings", {"actionSeconds": 1000})
    http.post("/hcloud/v1/volumes", json={"name": "slow", "size": 10, "location": "hel1"})
    progress = page.get_by_role("progressbar", name="Progress of create volume on slow")
    expect(progress).to_have_attribute("value", "0")
    cloud.advance(500)
    expect(progress).to_have_attribute("value", re.compile("5[0-9]"))
    cloud.advance(600)
    expect(progress).to_have_count(0)


def test_what_the_reader_did_stays(scene: RunningCloud, open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    summary = page.locator("#requests-more > summary")
    summary.click()
    page.evaluate("window.getSelection().selectAllChildren(document.querySelector('.members .address'))")
    before = page.evaluate("scrollY")
    assert before > 1000
    scene.create_volume("another", size_gb=10, labels={})
    expect(page.get_by_text("another").first).to_be_attached()
    expect(page.locator("#requests-more")).to_have_attribute("open", "")
    expect(summary).to_be_focused()
    assert page.evaluate("String(window.getSelection())") == "10.0.1.10"
    in_view = page.evaluate("document.querySelector('#requests-more').getBoundingClientRect().top")
    assert 0 <= in_view <= PHONE["height"]


def test_a_section_waits_while_its_text_is_selected(
    scene: RunningCloud, make_server: MakeServer, open_page: OpenPage
) -> None:
    page = open_page()
    scene.clear_faults()
    page.evaluate("window.getSelection().selectAllChildren(document.querySelector('.members .address'))")
    make_server("newcomer", labels={"cluster": "prod"})
    expect(page.locator("#actions")).to_contain_text("newcomer")
    expect(machine(page, "newcomer")).to_have_count(0)
    page.evaluate("window.getSelection().empty()")
    expect(machine(page, "newcomer")).to_be_visible()


def test_an_idle_page_is_sent_once(scene: RunningCloud, open_page: OpenPage) -> None:
    page = open_page()
    for _ in range(3):
        with page.expect_response(lambda answer: answer.url.endswith("/")) as got:
            pass
        assert got.value.status == 304


def test_a_page_that_nobody_sees_asks_for_nothing(scene: RunningCloud, open_page: OpenPage) -> None:
    page = open_page()
    page.evaluate(
        """() => {
            window.asked = 0;
            const ask = window.fetch;
            window.fetch = (...all) => { window.asked += 1; return ask(...all); };
            Object.defineProperty(document, "hidden", { value: true, configurable: true });
        }"""
    )
    page.wait_for_timeout(2500)
    assert page.evaluate("window.asked") == 0
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("window.asked") == 1


def test_it_says_when_the_server_is_gone_and_goes_on_when_it_is_back(
    scene: RunningCloud, open_page: OpenPage, complaints: list[str]
) -> None:
    page = open_page()
    scene.stop()
    expect(page.get_by_role("status")).to_have_text(re.compile(r"Not reachable since \d+:\d\d:\d\d"))
    expect(machine(page, "agent-2")).to_be_visible()
    scene.restart()
    expect(page.get_by_role("status")).to_have_text("Live")
    assert {text.partition(":")[0] for text in complaints} == {"Failed to load resource"}
    complaints.clear()


def test_without_a_script_it_is_complete_and_reloads(
    scene: RunningCloud, make_server: MakeServer, open_page: OpenPage
) -> None:
    page = open_page(java_script_enabled=False)
    expect(page.get_by_role("status")).to_have_text("Reloads every 3 s")
    expect(machine(page, "agent-2")).to_be_visible()
    scene.clear_faults()
    make_server("newcomer", labels={"cluster": "prod"})
    expect(machine(page, "newcomer")).to_be_visible()


def test_a_full_cluster_is_folded(cloud: RunningCloud, hetzner: hcloud.Client, open_page: OpenPage) -> None:
    make_scene(cloud, hetzner, agents=99)
    page = open_page(viewport=PHONE)
    expect(page.get_by_role("table", name="Machines", exact=True).get_by_role("row")).to_have_count(13)
    last = machine(page, "agent-98")
    expect(last).not_to_be_visible()
    page.get_by_text("and 88 more machines").click()
    expect(last).to_be_visible()
    expect(page.get_by_text("and 76 more addresses")).to_be_visible()
    requests = len(cloud.requests())
    expect(page.get_by_text(f"{requests - 100} requests before these are not shown.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
