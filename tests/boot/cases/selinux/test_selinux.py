"""With a policy loaded: what nobody labelled gets the label that the policy has for its path."""

from __future__ import annotations

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.observed import until_ready


def test_f1_f2_the_binary_and_the_volume_are_labelled(lab: Lab, cluster: Cluster) -> None:
    control_plane = cluster.server("control-plane", volume=cluster.volume())
    control_plane.kernel_options = "security=selinux selinux=1 enforcing=0"
    control_plane.power_on()
    until_ready(control_plane, 1)
    assert control_plane.run("getenforce").strip() == "Permissive"
    # A file beside it, which no line of ours labels, shows that the image's build left none.
    assert label(control_plane.run("stat --format=%C /var/usrlocal/unlabelled")) == "unlabeled_t"
    assert label(control_plane.run("stat --format=%C /var/usrlocal/bin/k3s")) == "bin_t"
    for path in ("", "/server", "/server/token", "/server/tls/server-ca.key"):
        assert label(control_plane.run(f"stat --format=%C /var/lib/rancher/k3s{path}")) == "var_lib_t", path


def label(context: str) -> str:
    """The type in user:role:type:level."""
    return context.split(":")[2]
