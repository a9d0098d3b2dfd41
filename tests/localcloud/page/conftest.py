"""A cloud and a browser for each file, and pages that fail their test when anything on them went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import hcloud
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.cloud import TOKEN, RunningCloud, running_cloud
from tests.localcloud.page.browser import lonely_browser
from tests.localcloud.page.scene import SEED

DESKTOP = {"width": 1280, "height": 1000}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def shared_cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    """Of the file's own, so that numbers and addresses are the same in each run."""
    with running_cloud(tmp_path_factory.mktemp("localcloud"), seed=SEED) as running:
        yield running


@pytest.fixture(scope="module")
def shared_hetzner(shared_cloud: RunningCloud) -> hcloud.Client:
    return hcloud.Client(TOKEN, api_endpoint=shared_cloud.hcloud_endpoint, poll_interval=0.01)


@pytest.fixture(scope="module")
def browser(shared_cloud: RunningCloud) -> Iterator[Browser]:
    with lonely_browser(int(shared_cloud.base_url.rsplit(":", 1)[1])) as started:
        yield started


class OpenPage(Protocol):
    """`open_page(viewport=PHONE, color_scheme="dark")`: the page, loaded, and live if it has a script."""

    def __call__(self, **options: Any) -> Page: ...


@pytest.fixture
def complaints() -> list[str]:
    """What the open pages' consoles say. A test that means to provoke something looks at it and clears it."""
    return []


@pytest.fixture
def open_page(browser: Browser, shared_cloud: RunningCloud, complaints: list[str]) -> Iterator[OpenPage]:
    """Opens the page; at the end no page may have complained or asked anybody else for anything."""
    contexts: list[BrowserContext] = []
    asked: list[str] = []

    def open_(**options: Any) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP} | options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(shared_cloud.base_url)
        if options.get("java_script_enabled", True):
            expect(page.get_by_role("status")).to_have_text("Live")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []
    assert asked
    assert [url for url in asked if not url.startswith(f"{shared_cloud.base_url}/")] == []
