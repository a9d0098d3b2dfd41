"""The units in the overlay: names, edges, and what systemd itself says of the whole tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import machines

ROLES = {"control-plane": "k3s.service", "agent": "k3s-agent.service"}
SPECS = {"control-plane": machines.control_plane(), "agent": machines.agent()}
UNIT_DIR = "etc/systemd/system"


def overlay(role: str) -> list[Path]:
    return [machines.OVERLAY / "common", machines.OVERLAY / role]


def settings(file: Path) -> Iterator[tuple[str, str, str]]:
    """(section, key, value) of each line of a unit."""
    section = ""
    for line in file.read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            yield section, key, value


def units(role: str) -> dict[str, list[tuple[str, str, str]]]:
    """Unit name -> its settings, drop-ins included."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for tree in overlay(role):
        for file in sorted((tree / UNIT_DIR).rglob("*")):
            if file.is_file():
                name = file.parent.name.removesuffix(".d") if file.suffix == ".conf" else file.name
                found.setdefault(name, []).extend(settings(file))
    return found


def values(unit: list[tuple[str, str, str]], *keys: str) -> set[str]:
    return {word for _, key, value in unit if key in keys for word in value.split()}


BOTH = pytest.mark.parametrize("role", ROLES)


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


# Arrow by arrow, the diagrams of the boot sequence: what comes first -> what waits for it.
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
        assert first in values(found[then], "After"), (first, then)
        assert first in values(found[then], "Requires", "BindsTo", "Wants"), (first, then)


@BOTH
def test_only_what_the_system_provides_is_merely_wanted(role: str) -> None:
    for name, unit in units(role).items():
        ours = values(unit, "Wants") & set(units(role))
        assert ours <= {"grow-k3s-volume.service"}, name


@BOTH
def test_after_network_online_goes_with_wanting_it(role: str) -> None:
    waiting = [name for name, unit in units(role).items() if "network-online.target" in values(unit, "After")]
    assert len(waiting) == 2
    for name in waiting:
        assert "network-online.target" in values(units(role)[name], "Wants"), name


def test_f4_a_mount_is_named_after_where_it_is() -> None:
    mounts = [name for name in units("control-plane") if name.endswith(".mount")]
    assert mounts == ["var-lib-rancher-k3s.mount"]
    where = values(units("control-plane")[mounts[0]], "Where")
    assert where == {"/var/lib/rancher/k3s"}
    assert mounts[0] == next(iter(where)).strip("/").replace("-", r"\x2d").replace("/", "-") + ".mount"


def test_f4_the_mount_is_kept_out_of_local_fs() -> None:
    mount = units("control-plane")["var-lib-rancher-k3s.mount"]
    assert values(mount, "DefaultDependencies") == {"no"}
    assert values(mount, "Before", "Conflicts") == {"umount.target"}
    # No device unit either: it would give up after 90 seconds.
    assert not {what for what in values(mount, "What") if what.startswith("/dev")}


def test_k8_k3s_cannot_start_without_its_volume() -> None:
    found = units("control-plane")
    assert "var-lib-rancher-k3s.mount" in values(found["k3s.service"], "BindsTo")
    for name in ("k3s.service", "k3s-seed-pki.service", "k3s-sync-manifests.service"):
        assert values(found[name], "AssertPathIsMountPoint") == {"/var/lib/rancher/k3s"}


@BOTH
def test_enabled_units_can_be_enabled_and_no_other_unit_pretends_to(role: str) -> None:
    enabled = {
        path.removeprefix("unit:") for path in machines.entries(SPECS[role]) if path.startswith("unit:")
    }
    installable = {name for name, unit in units(role).items() if any(s == "Install" for s, _, _ in unit)}
    assert enabled == installable == {ROLES[role]}


@BOTH
def test_every_program_of_ours_that_a_unit_runs_is_there_and_executable(role: str) -> None:
    programs = {
        word
        for unit in units(role).values()
        for word in values(unit, "ExecStart")
        if word.startswith("/usr/local/bin/")
    }
    # k3s itself comes with the image.
    programs.remove("/usr/local/bin/k3s")
    scripts = {
        f"/{file.relative_to(tree)}": file for tree in overlay(role) for file in tree.glob("usr/local/bin/*")
    }
    assert programs == set(scripts)
    assert all(os.access(file, os.X_OK) for file in scripts.values())


@BOTH
def test_what_can_fail_for_a_while_waits_itself_and_does_not_fail_others(
    role: str,
) -> None:
    scripts = [unit for unit in units(role).values() if any("/usr/local/bin/k3s-" in v for _, _, v in unit)]
    assert scripts
    for unit in scripts:
        assert values(unit, "TimeoutStartSec") == {"infinity"}
        assert values(unit, "Restart") == {"on-failure"}
        assert values(unit, "RestartMode") == {"direct"}
        assert values(unit, "StartLimitIntervalSec") == {"0"}


@BOTH
def test_every_unit_says_what_it_is(role: str) -> None:
    for name, unit in units(role).items():
        if name.startswith(("k3s", "mkfs", "grow", "var")):
            assert len(values(unit, "Description")) > 2, name


def test_files_in_drop_in_folders_have_the_extension_their_reader_looks_for() -> None:
    extensions = {
        "tmpfiles.d": ".conf",
        "conf.d": ".conf",
        "config.d": ".toml",
        "journald.conf.d": ".conf",
        "sshd_config.d": ".conf",
        "sysctl.d": ".conf",
        "modules-load.d": ".conf",
        "config.yaml.d": ".yaml",
        "k3s-setup.target.d": ".conf",
        "NetworkManager-wait-online.service.d": ".conf",
    }
    files = [
        file for file in machines.OVERLAY.rglob("*") if file.is_file() and file.parent.name.endswith(".d")
    ]
    assert {file.parent.name for file in files} == set(extensions)
    for file in files:
        assert file.suffix == extensions[file.parent.name], file


def test_f1_the_k3s_binary_is_relabelled_on_its_real_path() -> None:
    lines = (machines.OVERLAY / "common/etc/tmpfiles.d/k3s.conf").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["Z /var/usrlocal/bin - - - -"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed here")
@BOTH
def test_systemd_accepts_the_whole_tree_without_an_ordering_cycle(role: str, tmp_path: Path) -> None:
    root = tree_with_distribution_units(role, tmp_path)
    run(["systemctl", f"--root={root}", "enable", ROLES[role]])
    verify = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=yes", f"--root={root}"]
    done = subprocess.run([*verify, "multi-user.target"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
    assert (root / UNIT_DIR / "multi-user.target.wants" / ROLES[role]).is_symlink()


def tree_with_distribution_units(role: str, root: Path) -> Path:
    (root / "usr/lib/systemd").mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    shutil.copytree("/usr/lib/systemd/system", root / "usr/lib/systemd/system", symlinks=True)
    for tree in overlay(role):
        shutil.copytree(tree, root, dirs_exist_ok=True, symlinks=True)
    for name in ("passwd", "group"):
        shutil.copy(f"/etc/{name}", root / "etc" / name)
    for program in ("usr/sbin/nft", "usr/local/bin/k3s", "usr/lib/systemd/systemd-growfs"):
        (root / program).parent.mkdir(parents=True, exist_ok=True)
        (root / program).write_text("#!/bin/sh\n")
        (root / program).chmod(0o755)
    if systemd_version() < 254:
        # The machines' systemd is younger than this one, which would call RestartMode= unknown.
        for unit in (root / UNIT_DIR).glob("*.service"):
            unit.write_text(unit.read_text().replace("RestartMode=direct\n", ""))
    return root


def systemd_version() -> int:
    return int(run(["systemd-analyze", "--version"]).split()[1])


def run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_templates_hold_no_unit_and_no_shell_and_quote_every_value() -> None:
    templates = sorted((machines.PROJECT_ROOT / "butane").glob("*.j2"))
    templates += sorted((machines.PROJECT_ROOT / "manifests").glob("*.j2"))
    assert len(templates) == 10
    expressions = 0
    for template in templates:
        text = template.read_text()
        assert not re.search(r"^\s*(\[Unit\]|\[Service\]|#!/)", text, re.MULTILINE), template
        for expression in re.findall(r"\{\{(.*?)\}\}", text, re.DOTALL):
            expressions += 1
            assert re.search(r"\| (tojson|keyfile|envvalue) $", expression), (template, expression)
    assert expressions > 60
