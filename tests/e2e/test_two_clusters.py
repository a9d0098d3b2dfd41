"""Two clusters in one Hetzner and one Google project and under one parent zone: neither touches the other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import by_hand
from tests.cloud import RunningCloud
from tests.e2e.engine import Engine

# One name begins like the other: whatever goes by a prefix or a shortened name would mix them up.
GREEN, BLUE = "production-eu", "production-eu-2"
KINDS = ("servers", "volumes", "networks", "firewalls", "primary_ips", "images")


def _named(engine: Engine, cluster: str, *, prefix: str, subdomain: str) -> Engine:
    engine.fleet({})
    engine.configure("raya:clusterName", cluster)
    engine.configure("raya:serverNamePrefix", prefix)
    engine.configure("raya:clusterManagedSubdomain", subdomain)
    engine.configure("raya:dnsZones[0]", f"{subdomain}.example.org")
    return engine


@pytest.fixture(scope="module")
def another(
    cloud: RunningCloud, engine: Engine, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Engine]:
    """Makes stacks of their own in the same clouds."""

    def make() -> Engine:
        folder = Path(tmp_path_factory.mktemp("another"))
        return Engine(folder=folder, cloud_url=cloud.base_url, pulumi_home=engine.pulumi_home)

    return make


@pytest.fixture(scope="module")
def green(engine: Engine) -> Engine:
    return _named(engine, GREEN, prefix="", subdomain="k8s")


@pytest.fixture(scope="module")
def blue(another: Callable[[], Engine]) -> Engine:
    return _named(another(), BLUE, prefix="blue-", subdomain="blue")


def _everything_of(cloud: RunningCloud, cluster: str, zone: str) -> dict[str, Any]:
    """All that the clouds hold of one cluster, as their APIs show it."""
    servers = {each["id"] for each in cloud.hetzner("servers") if each["labels"].get("cluster") == cluster}

    def is_its(each: dict[str, Any]) -> bool:
        return bool(each["labels"].get("cluster") == cluster or each.get("assignee_id") in servers)

    accounts = [each for each in by_hand.accounts(cloud) if each["displayName"].endswith(f" {cluster}")]
    return {
        **{kind: [each for each in cloud.hetzner(kind) if is_its(each)] for kind in KINDS},
        "user data": [cloud.user_data(each["name"]) for each in cloud.hetzner("servers") if is_its(each)],
        "zone": [each for each in cloud.zones() if each["dnsName"] == zone],
        "records": cloud.records(zone),
        "delegation": [each for each in cloud.records("example.org.") if each["name"] == zone],
        "accounts": accounts,
        "keys": [by_hand.google(cloud, "GET", f"iam/v1/{each['name']}/keys") for each in accounts],
        "members": by_hand.members(cloud) & {f"serviceAccount:{each['email']}" for each in accounts},
    }


def _green(cloud: RunningCloud) -> dict[str, Any]:
    return _everything_of(cloud, GREEN, "k8s.example.org.")


def _blue(cloud: RunningCloud) -> dict[str, Any]:
    return _everything_of(cloud, BLUE, "blue.example.org.")


def test_both_are_made_at_the_same_time(green: Engine, blue: Engine, cloud: RunningCloud) -> None:
    with ThreadPoolExecutor() as pool:
        for ran in [pool.submit(each.up, "--skip-preview") for each in (green, blue)]:
            ran.result()
    for its in (_green(cloud), _blue(cloud)):
        assert {kind: len(found) for kind, found in its.items()} == {
            "servers": 2,
            "volumes": 1,
            "networks": 1,
            "firewalls": 1,
            "primary_ips": 4,
            "images": 0,
            "user data": 2,
            "zone": 1,
            "records": 4,
            "delegation": 1,
            "accounts": 2,
            "keys": 2,
            "members": 2,
        }
    # Written by two programs at once, with an etag: no member got lost.
    assert len(by_hand.members(cloud)) == 4


def _rebuild(engine: Engine) -> None:
    """Every machine anew, and a rule of the firewall."""
    (engine.folder / "butane" / "overlay" / "common" / "etc" / "other.conf").write_text("x = 1\n")
    engine.configure("raya:firewall.sshSources[0]", "198.51.100.0/24")
    engine.up("--skip-preview")


def test_an_update_of_one_leaves_the_other_as_it_is(green: Engine, blue: Engine, cloud: RunningCloud) -> None:
    greens, blues = _green(cloud), _blue(cloud)
    _rebuild(green)
    assert _blue(cloud) == blues
    changed = _green(cloud)
    assert changed != greens
    _rebuild(blue)
    assert _green(cloud) == changed
    assert _blue(cloud)["servers"] != blues["servers"]


def test_each_sees_and_deletes_only_what_its_own_drivers_left(
    green: Engine, blue: Engine, cloud: RunningCloud, tmp_path: Path
) -> None:
    # What `kubectl get pv --output json` prints of a cluster in which nothing claims a volume any more.
    unclaimed = tmp_path / "pv.json"
    unclaimed.write_text('{"kind": "List", "items": []}')
    deletion = ("--persistent-volumes", str(unclaimed), "--delete")
    for name, cluster in (("pvc-green", GREEN), ("pvc-blue", BLUE)):
        cloud.create_volume(name, size_gb=10, labels={"managed-by": "csi-driver", "cluster": cluster})
    cloud.create_volume("pvc-whose", size_gb=10, labels={"managed-by": "csi-driver"})
    listed = green.orphans()
    assert "pvc-green" in listed
    assert "pvc-blue" not in listed
    assert "blue-" not in listed
    assert "pvc-whose" in listed
    blue.orphans(*deletion)
    names = {each["name"] for each in cloud.hetzner("volumes")}
    assert {"pvc-green", "pvc-whose"} <= names
    assert "pvc-blue" not in names
    green.orphans(*deletion)


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        (
            {"raya:clusterName": "third", "raya:clusterManagedSubdomain": "third"},
            [
                "has the server control-plane (",
                f"of the raya cluster {GREEN}, and names are unique",
                "pulumi config set raya:serverNamePrefix",
            ],
        ),
        (
            {"raya:serverNamePrefix": "third-", "raya:clusterManagedSubdomain": "third"},
            [f"labelled cluster={GREEN}, of which the state of the stack test does not know"],
        ),
        (
            {},
            [
                "a cluster beside others needs its own raya:clusterName, raya:serverNamePrefix, "
                "raya:clusterManagedSubdomain and raya:dnsZones: change them together",
                f"labelled cluster={GREEN}, of which the state of the stack test does not know",
                "already has the zone k8s.example.org (",
            ],
        ),
        (
            {"raya:clusterName": "third"},
            [
                "a cluster beside others needs its own raya:serverNamePrefix, raya:clusterManagedSubdomain "
                "and raya:dnsZones: change them together",
                "has the server control-plane (",
                f"the zone k8s.example.org (raya-k8s-example-org), of the raya cluster {GREEN}",
            ],
        ),
    ],
    ids=["server names", "cluster name", "a copied stack file", "all but its name copied"],
)
def test_a_third_that_is_not_apart_is_refused_before_anything_is_made(
    another: Callable[[], Engine],
    green: Engine,
    cloud: RunningCloud,
    changes: dict[str, str],
    sentences: list[str],
) -> None:
    third = _named(another(), GREEN, prefix="", subdomain="k8s")
    for path, value in changes.items():
        third.configure(path, value)
    mark = len(cloud.events())
    ran = third.up("--skip-preview", check=False)
    shown = " ".join((ran.stdout + ran.stderr).split())
    assert ran.returncode != 0
    assert "Traceback" not in shown
    for sentence in sentences:
        assert sentence in shown, shown
    assert cloud.events()[mark:] == []


def test_the_end_of_one_leaves_the_other_as_it_is(green: Engine, blue: Engine, cloud: RunningCloud) -> None:
    blues = _blue(cloud)
    green.pulumi("state", "unprotect", "--all", "--yes")
    green.destroy("--skip-preview")
    assert _blue(cloud) == blues
    assert {each["labels"].get("cluster") for each in cloud.hetzner("servers")} == {BLUE}
    assert {each["name"] for each in cloud.hetzner("volumes")} == {f"blue-{BLUE}-state", "pvc-whose"}
    assert len(by_hand.members(cloud)) == 2
    blue.preview("--expect-no-changes")
