"""What a manifest deployed goes when the manifest does, although k3s does nothing when a file vanishes."""

from __future__ import annotations

from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.observed import nothing_failed, objects, until_ready

DEPLOY = "/var/lib/rancher/k3s/server/manifests"
GONE = {"HelmChart/external-dns", "Secret/external-dns-google"}


def test_m1_a_component_switched_off_is_torn_down(lab: Lab, cluster: Cluster) -> None:
    volume = cluster.volume()
    first = cluster.server("control-plane", volume=volume)
    first.power_on()
    until_ready(first, 1)
    deployed = objects(first)
    assert deployed > GONE
    # Leftovers that a person or an older release may have made.
    first.run(f"touch {DEPLOY}/raya-flux.yaml.skip")
    first.run(f"ln -s /etc/raya/manifests/raya-flux.yaml {DEPLOY}/flux-again.yaml")
    by_hand = "apiVersion: v1\nkind: Namespace\nmetadata: {name: by-hand}\n"
    first.run(f"cat >{DEPLOY}/by-hand.yaml <<'END'\n{by_hand}END\nsync")
    first.discard()

    second = cluster.server("control-plane", volume=volume, components={"external-dns": False})
    second.power_on()
    until_ready(second, 1)
    second.wait_until("! k3s kubectl get objects -o json | grep -q external-dns-google")
    left = objects(second)
    assert not left & GONE
    # Everything else stays: what is still provisioned, what a person put there, and the namespace of the
    # component: Helm looks there for the release that it is to take down.
    assert deployed - left == GONE
    assert "Namespace/external-dns" in left
    assert "Namespace/by-hand" in left
    assert second.run(f"ls {DEPLOY}/by-hand.yaml {DEPLOY}/raya-flux.yaml.skip")
    assert second.run(f"test ! -L {DEPLOY}/flux-again.yaml && echo removed") == "removed\n"
    said = second.journal("k3s-sync-manifests.service")
    assert "raya-external-dns.yaml is gone; k3s will tear down what it had deployed" in said
    assert "raya-flux.yaml.skip keeps k3s from deploying this manifest" in said
    nothing_failed(second)

    # The component comes back under its own name.
    second.discard()
    third = cluster.server("control-plane", volume=volume)
    third.power_on()
    until_ready(third, 1)
    third.wait_until("k3s kubectl get objects -o json | grep -q external-dns-google")
    assert objects(third) >= GONE
