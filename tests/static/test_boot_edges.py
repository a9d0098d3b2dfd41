"""What waits for what, as the units state it: the arrows of the boot's two diagrams, one by one."""

from __future__ import annotations

from tests.static.overlay import BOTH, units

# What comes first -> what waits for it.
SHARED_EDGES = {
    ("network-online.target", "k3s-init.service"),
    ("systemd-tmpfiles-setup.service", "k3s-setup.target"),
    ("network-online.target", "k3s-setup.target"),
    ("k3s-init.service", "k3s-setup.target"),
}
EDGES = {
    "agent": SHARED_EDGES | {("k3s-setup.target", "k3s-agent.service")},
    "control-plane": SHARED_EDGES
    | {
        ("mkfs-k3s-volume.service", "var-lib-rancher-k3s.mount"),
        ("var-lib-rancher-k3s.mount", "k3s-seed-pki.service"),
        ("k3s-seed-pki.service", "k3s-sync-manifests.service"),
        ("var-lib-rancher-k3s.mount", "k3s-setup.target"),
        ("k3s-seed-pki.service", "k3s-setup.target"),
        ("k3s-sync-manifests.service", "k3s-setup.target"),
        ("k3s-setup.target", "k3s.service"),
    },
}


@BOTH
def test_each_arrow_of_the_boot_diagram_is_an_order_and_a_requirement(role: str) -> None:
    found = units(role)
    for first, then in EDGES[role]:
        assert first in found[then].values("After"), (first, then)
        assert first in found[then].values("Requires", "BindsTo", "Wants"), (first, then)


@BOTH
def test_only_what_the_system_provides_is_merely_wanted(role: str) -> None:
    for unit in units(role).values():
        ours = set(unit.values("Wants")) & set(units(role))
        # A file system that could not be grown keeps nothing from starting.
        assert ours <= {"grow-k3s-volume.service"}, unit.name


@BOTH
def test_an_order_is_stated_where_the_waiting_unit_says_why(role: str) -> None:
    found = units(role)
    for unit in found.values():
        for then in set(unit.values("Before")) & set(found):
            assert unit.name in found[then].values("After"), (unit.name, then)


@BOTH
def test_f9_after_network_online_goes_with_wanting_it(role: str) -> None:
    waiting = [unit for unit in units(role).values() if "network-online.target" in unit.values("After")]
    assert len(waiting) == 2
    for unit in waiting:
        assert "network-online.target" in unit.values("Wants"), unit.name


def test_f4_the_mount_is_kept_out_of_local_fs() -> None:
    mount = units("control-plane")["var-lib-rancher-k3s.mount"]
    assert mount.text("DefaultDependencies") == "no"
    assert mount.values("Before") == mount.values("Conflicts") == ["umount.target"]
    # No device unit either: it would give up after 90 seconds.
    assert not mount.text("What").startswith("/dev")


def test_k8_k3s_cannot_start_without_its_volume() -> None:
    found = units("control-plane")
    assert "var-lib-rancher-k3s.mount" in found["k3s.service"].values("BindsTo")
    for name in ("k3s.service", "k3s-seed-pki.service", "k3s-sync-manifests.service"):
        assert found[name].text("AssertPathIsMountPoint") == "/var/lib/rancher/k3s"
