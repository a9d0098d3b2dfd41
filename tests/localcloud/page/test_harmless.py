"""What must not be on the page, or happen because of it."""

from __future__ import annotations

import base64
import json
import socket
from typing import Any

import hcloud
import httpx
import pytest
from hcloud.firewalls import FirewallRule
from playwright.sync_api import Browser, Error, expect

from tests.cloud import RunningCloud
from tests.discovery import Google
from tests.localcloud.page.conftest import OpenPage

HOSTILE = '<img src=x onerror="window.struck=1"><script>window.struck=1</script>'


def test_hostile_words_are_shown_and_do_nothing(
    cloud: RunningCloud, http: httpx.Client, hetzner: hcloud.Client, open_page: OpenPage
) -> None:
    rule = FirewallRule("in", "icmp", ["0.0.0.0/0"], description=f"rule {HOSTILE}")
    hetzner.firewalls.create("open", rules=[rule])
    cloud.add_record("example.org.", "hostile.example.org.", "TXT", [f'"record {HOSTILE}"'])
    cloud.fault("action", command=f"command {HOSTILE}", code="server_error")
    http.get(f"/hcloud/v1/path {HOSTILE}")
    page = open_page()
    for where, words in (
        ("[id='cluster:']", f"rule {HOSTILE}"),
        ("#dns", f'"record {HOSTILE}"'),
        ("#summary", f"Actions command {HOSTILE}"),
        ("#requests", f"/hcloud/v1/path {HOSTILE}"),
    ):
        expect(page.locator(where)).to_contain_text(words)
    cloud.create_volume("after", size_gb=10, labels={})
    expect(page.get_by_role("row", name="after").first).to_be_visible()
    assert page.evaluate("window.struck") is None
    assert page.locator("main :is(img, script)").count() == 0


def test_no_secret_is_in_the_document(
    cloud: RunningCloud, http: httpx.Client, hetzner: hcloud.Client, google: Google, open_page: OpenPage
) -> None:
    public_key = f"ssh-ed25519 {'A' * 68} canary-comment"
    hetzner.ssh_keys.create("laptop", public_key)
    image = hetzner.images.get_all(label_selector="os=fcos")[0]
    order: dict[str, Any] = {"name": "agent-0", "server_type": "cx23", "location": "hel1", "image": image.id}
    order |= {"user_data": "canary-user-data", "labels": {"canary": "label"}}
    made = http.post("/hcloud/v1/servers", json=order).raise_for_status().json()
    query = {"key": "canary-key", "access_token": "canary-access", "anything": "canary-anything"}
    http.get("/google/dns/v1/projects/raya-local/managedZones", params=query)
    http.get("/hcloud/v1/servers", headers={"Authorization": f"Bearer {'canary-token'.ljust(64, 'x')}"})
    private_key = _private_key(google)
    document = open_page().content()
    assert "agent-0" in document
    assert "canary" not in document
    for secret in (made["root_password"], private_key, public_key.split()[1], *cloud.keys("alice")):
        assert secret
        assert secret not in document


def _private_key(google: Google) -> str:
    """Of a new service account; the line that tells most."""
    accounts = google.iam.projects().serviceAccounts()
    account = google.call(accounts.create(name="projects/raya-local", body={"accountId": "dns-robot"}))
    key = google.call(accounts.keys().create(name=account["name"], body={}))
    text = json.loads(base64.b64decode(key["privateKeyData"]))["private_key"]
    return str(text.splitlines()[1])


def test_the_browser_is_alone(cloud: RunningCloud, browser: Browser) -> None:
    """Else "it asked nobody else" would be a matter of trust."""
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        socket.create_connection(("127.0.0.1", port)).close()
        page = browser.new_page()
        for url, error in (
            (f"http://127.0.0.1:{port}/", "ERR_CONNECTION_REFUSED"),
            ("http://192.0.2.1/", "ERR_INTERNET_DISCONNECTED"),
            ("http://example.org/", "ERR_INTERNET_DISCONNECTED"),
        ):
            with pytest.raises(Error, match=error):
                page.goto(url)
        page.close()
