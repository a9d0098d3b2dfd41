"""The units in the overlay, each by itself: names, programs, what starts them, how they wait."""

from __future__ import annotations

import os
import re

from tests import machines
from tests.static.overlay import BOTH, SPECS, STARTS_K3S, trees, units
from tests.static.unit_order import escape


def test_the_overlay_holds_the_units_of_both_roles() -> None:
    assert set(units("agent")) == {
        "NetworkManager-wait-online.service",
        "k3s-agent.service",
        "k3s-init.service",
        "k3s-metadata-guard.service",
        "k3s-setup.target",
    }
    assert set(units("control-plane")) - set(units("agent")) == {
        "grow-k3s-volume.service",
        "k3s-seed-pki.service",
        "k3s-sync-manifests.service",
        "k3s.service",
        "mkfs-k3s-volume.service",
        "var-lib-rancher-k3s.mount",
    }


def test_f4_a_mount_is_named_after_where_it_is() -> None:
    mounts = [unit for unit in units("control-plane").values() if unit.name.endswith(".mount")]
    assert [mount.name for mount in mounts] == ["var-lib-rancher-k3s.mount"]
    for mount in mounts:
        assert mount.name == f"{escape(mount.text('Where'))}.mount"


def test_names_are_escaped_as_systemd_does_it() -> None:
    assert escape("/var/lib/rancher/k3s") == "var-lib-rancher-k3s"
    assert escape("/srv/a-b/c d") == r"srv-a\x2db-c\x20d"
    assert escape("/") == "-"


@BOTH
def test_enabled_units_can_be_enabled_and_no_other_unit_pretends_to(role: str) -> None:
    enabled = {
        path.removeprefix("unit:") for path in machines.entries(SPECS[role]) if path.startswith("unit:")
    }
    installable = {name for name, unit in units(role).items() if unit.has_section("Install")}
    assert enabled == installable == {STARTS_K3S[role]}


@BOTH
def test_every_program_of_ours_that_a_unit_runs_is_there_and_executable(role: str) -> None:
    programs = {
        word
        for unit in units(role).values()
        for word in unit.values("ExecStart")
        if word.startswith("/usr/local/bin/")
    }
    # k3s itself comes with the image.
    programs.remove("/usr/local/bin/k3s")
    scripts = {
        f"/{file.relative_to(tree)}": file for tree in trees(role) for file in tree.glob("usr/local/bin/*")
    }
    assert programs == set(scripts)
    assert all(os.access(file, os.X_OK) for file in scripts.values())


@BOTH
def test_what_can_fail_for_a_while_waits_itself_and_does_not_fail_others(role: str) -> None:
    waiting = [
        unit for unit in units(role).values() if re.search("/usr/local/bin/.*k3s-", unit.text("ExecStart"))
    ]
    assert waiting
    for unit in waiting:
        assert unit.text("TimeoutStartSec") == "infinity"
        assert unit.text("Restart") == "on-failure"
        assert unit.text("RestartMode") == "direct"
        assert unit.text("StartLimitIntervalSec") == "0"


@BOTH
def test_every_unit_says_what_it_is(role: str) -> None:
    described = [unit for unit in units(role).values() if unit.name != "NetworkManager-wait-online.service"]
    assert len(described) >= 4
    for unit in described:
        assert len(unit.text("Description").split()) > 2, unit.name
