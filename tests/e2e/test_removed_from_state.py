"""`pulumi state delete`: what it forgot exists still, and the next run says so before it makes anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cloud import RunningCloud
from tests.e2e.engine import STACK, Engine


@pytest.fixture(scope="module", autouse=True)
def _running(engine: Engine) -> None:
    engine.fleet({})
    engine.up("--skip-preview")


def _forget(engine: Engine, kind: str, name: str) -> None:
    (urn,) = [
        each["urn"]
        for each in engine.resources()
        if each["type"] == kind and each["urn"].endswith(f"::{name}")
    ]
    engine.pulumi("state", "delete", urn, "--yes", "--force", "--target-dependents", "--stack", STACK)


@pytest.fixture
def _remembered_again(engine: Engine) -> Iterator[None]:
    saved = engine.folder / "state.json"
    saved.write_text(engine.export())
    yield
    engine.pulumi("stack", "import", "--file", str(saved), "--stack", STACK)


def _refusal(engine: Engine, cloud: RunningCloud) -> str:
    mark = len(cloud.events())
    ran = engine.up("--skip-preview", check=False)
    assert ran.returncode != 0
    assert cloud.events()[mark:] == []
    shown = " ".join((ran.stdout + ran.stderr).split())
    assert "Traceback" not in shown
    assert f"`make recover STACK={STACK}`" in shown
    return shown


@pytest.mark.parametrize(
    ("kind", "name", "named"),
    [
        ("hcloud:index/server:Server", "agent-0", "the server agent-0 ("),
        ("hcloud:index/volume:Volume", "control-plane", "the volume local-state ("),
        ("hcloud:index/firewall:Firewall", "network", "the firewall local ("),
        ("hcloud:index/network:Network", "network", "the network local ("),
        ("gcp:dns/managedZone:ManagedZone", "primary", "already has the zone k8s.example.org ("),
    ],
    ids=["server", "volume", "firewall", "network", "zone"],
)
@pytest.mark.usefixtures("_remembered_again")
def test_what_was_forgotten_is_found(
    engine: Engine, cloud: RunningCloud, kind: str, name: str, named: str
) -> None:
    _forget(engine, kind, name)
    assert named in _refusal(engine, cloud)


def test_the_command_that_is_named_mends_it(engine: Engine, cloud: RunningCloud) -> None:
    _forget(engine, "hcloud:index/network:Network", "network")
    _refusal(engine, cloud)
    assert engine.recover("--yes")[0] == 0
    engine.up("--skip-preview")
    engine.preview("--expect-no-changes")


def test_a_limit_below_what_there_is_warns_and_stops_nothing(engine: Engine) -> None:
    engine.configure("raya:limits.servers", "1")
    ran = engine.preview("--expect-no-changes")
    shown = " ".join((ran.stdout + ran.stderr).split())
    assert "raya:limits.servers is 1, and the Hetzner project has 2 servers already: no more can be" in shown
