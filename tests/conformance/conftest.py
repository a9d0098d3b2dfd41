"""The clouds, one run's mark on what it makes there, and the vendors' own clients.

`docs/conformance.md` says what the suite makes and how to point it at the real APIs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import hcloud
import httpx
import pytest
from hcloud.servers import BoundServer

from tests.cloud import RunningCloud, running_cloud
from tests.conformance import targets
from tests.conformance.google_things import GoogleThings, remove_marked_google
from tests.conformance.hetzner_offer import Offer, find_offer
from tests.conformance.hetzner_removal import remove_marked, restore
from tests.conformance.hetzner_things import HetznerThings
from tests.conformance.run import Run
from tests.conformance.targets import GoogleTarget, HetznerTarget, TargetError
from tests.discovery import Google

# What an account has that was used before: a project at Google, and a snapshot with labels.
LOCAL_SEED = {
    "projects": [targets.LOCAL_PROJECT],
    "snapshots": [{"labels": {"os": "any", "version": "1"}, "architecture": "x86"}],
}


def pytest_report_header() -> str:
    try:
        hetzner, google = targets.hetzner_named_by(os.environ), targets.google_named_by(os.environ)
    except TargetError as error:
        raise pytest.UsageError(str(error)) from None
    hetzner_place = hetzner.endpoint if hetzner else "a local cloud"
    google_place = f"the project {google.project}" if google else "a local cloud"
    return f"conformance: Hetzner at {hetzner_place}, Google at {google_place}"


@pytest.fixture(scope="session")
def local_cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    """Started only when the environment names no other cloud. Nothing here uses its control endpoints."""
    with running_cloud(tmp_path_factory.mktemp("conformance"), seed=LOCAL_SEED) as running:
        yield running


@pytest.fixture(scope="session")
def run() -> Run:
    return Run()


# -- Hetzner --


@pytest.fixture(scope="session")
def hetzner_target(request: pytest.FixtureRequest) -> HetznerTarget:
    named = targets.hetzner_named_by(os.environ)
    return named or targets.hetzner_of(request.getfixturevalue("local_cloud"))


@pytest.fixture(scope="session")
def hetzner(hetzner_target: HetznerTarget, run: Run) -> Iterator[hcloud.Client]:
    client = hcloud.Client(
        hetzner_target.token, hetzner_target.endpoint, poll_interval=hetzner_target.poll_s, timeout=60
    )
    yield client
    left = remove_marked(client, run.selector)
    assert not left, f"the tests left these behind, which are removed now: {left}"


@pytest.fixture(scope="session")
def offer(hetzner: hcloud.Client, hetzner_target: HetznerTarget) -> Offer:
    return find_offer(hetzner, hetzner_target.server_type)


@pytest.fixture
def things(hetzner: hcloud.Client, offer: Offer, run: Run) -> Iterator[HetznerThings]:
    """What one test makes."""
    made = HetznerThings(hetzner, offer, run)
    yield made
    made.give_back()


@pytest.fixture(scope="session")
def kept(hetzner: hcloud.Client, offer: Offer, run: Run) -> Iterator[HetznerThings]:
    """What is lent to many tests: a server is paid for by the hour, and takes a while to make."""
    made = HetznerThings(hetzner, offer, run)
    yield made
    made.give_back()


@pytest.fixture(scope="session")
def lent_server(kept: HetznerThings) -> BoundServer:
    return kept.server()


@pytest.fixture(scope="session")
def other_lent_server(kept: HetznerThings) -> BoundServer:
    return kept.server()


@pytest.fixture
def server(lent_server: BoundServer, things: HetznerThings) -> Iterator[BoundServer]:
    """A running server that is attached to nothing. Whatever a test does with it is undone."""
    lent_server.reload()
    yield lent_server
    restore(lent_server)


@pytest.fixture
def neighbour(other_lent_server: BoundServer, things: HetznerThings) -> Iterator[BoundServer]:
    """Another one, in the same location."""
    other_lent_server.reload()
    yield other_lent_server
    restore(other_lent_server)


@pytest.fixture
def wire(hetzner_target: HetznerTarget) -> Iterator[httpx.Client]:
    """Hetzner's API without a client, for what the client does not show: statuses, headers, odd bodies."""
    headers = {"Authorization": f"Bearer {hetzner_target.token}"}
    with httpx.Client(base_url=hetzner_target.endpoint, headers=headers, timeout=60) as client:
        yield client


# -- Google --


@pytest.fixture(scope="session")
def google_target(request: pytest.FixtureRequest) -> GoogleTarget:
    named = targets.google_named_by(os.environ)
    return named or targets.google_of(request.getfixturevalue("local_cloud"))


@pytest.fixture(scope="session")
def google(google_target: GoogleTarget, run: Run) -> Iterator[Google]:
    with Google(google_target.endpoint, google_target.token) as clients:
        yield clients
        left = remove_marked_google(clients, google_target, run)
        assert not left, f"the tests left these behind, which are removed now: {left}"


@pytest.fixture
def project(google: Google, google_target: GoogleTarget, run: Run) -> Iterator[GoogleThings]:
    """The project, and what one test makes in it."""
    made = GoogleThings(google, google_target, run)
    yield made
    made.give_back()
