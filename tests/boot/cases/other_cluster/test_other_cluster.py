"""A volume that belonged to another cluster: its datastore and PKI go, completely; everything else stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raya import throwaway_keys
from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.observed import datastore_id, nothing_failed, until_ready

FOREIGN_DATASTORE = b"the datastore of another cluster"
UNRELATED = ("kept.txt", "agent/containerd/layer", "storage/claim/data")


def another_token(tree: Path, cluster: Cluster) -> None:
    identity(tree, cluster)
    (tree / "server/token").write_text(f"K10{'0' * 64}::server:of-another-cluster\n")


def another_client_ca(tree: Path, cluster: Cluster) -> None:
    identity(tree, cluster)
    (tree / "server/tls/client-ca.crt").write_text(throwaway_keys.pki().client_ca_cert)


def leftovers_only(tree: Path, cluster: Cluster) -> None:
    (tree / "agent/client-kubelet.key").write_text("a key of another cluster\n")
    (tree / "server/cred/passwd").write_text("of another cluster\n")


@pytest.mark.parametrize(
    ("foreign", "why"),
    [
        (another_token, "the volume's token differs from the provisioned one"),
        (another_client_ca, "the volume's client-ca.crt differs from the provisioned one"),
        (leftovers_only, "the volume has no token"),
    ],
)
def test_k1_state_that_cannot_be_opened_is_dropped_and_the_log_says_why(
    lab: Lab, cluster: Cluster, tmp_path: Path, foreign: Callable[[Path, Cluster], None], why: str
) -> None:
    tree = tmp_path / "tree"
    for folder in ("server/db", "server/tls", "server/cred"):
        (tree / folder).mkdir(parents=True)
    for name in UNRELATED:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("unrelated\n")
    (tree / "server/db/state.db").write_bytes(FOREIGN_DATASTORE)
    foreign(tree, cluster)
    volume = cluster.volume()
    volume.make_ext4(tree)

    control_plane = cluster.server("control-plane", volume=volume)
    control_plane.power_on()
    until_ready(control_plane, 1)
    assert why in control_plane.journal("k3s-seed-pki.service")
    for name in UNRELATED:
        assert control_plane.run(f"cat /var/lib/rancher/k3s/{name}") == "unrelated\n"
    search = "grep --recursive --files-with-matches 'another cluster' /var/lib/rancher/k3s || true"
    found = control_plane.run(search)
    assert found == ""
    datastore = datastore_id(control_plane)

    # What was founded then is this cluster's, and stays.
    control_plane.reboot()
    until_ready(control_plane, 1)
    assert datastore_id(control_plane) == datastore
    assert "differs" not in control_plane.journal("k3s-seed-pki.service")
    nothing_failed(control_plane)


def identity(tree: Path, cluster: Cluster) -> None:
    """This cluster's own, as k3s leaves it on the volume."""
    for name, text in cluster.pki.files.items():
        (tree / "server/tls" / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / "server/tls" / name).write_text(text)
    secret = cluster.specs()["control-plane"].token
    (tree / "server/token").write_text(f"K10{'0' * 64}::server:{secret}\n")
