"""k3s-sync-manifests on folders that stand for Ignition's manifests and k3s' auto-deploy directory."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.unit.machine import script

MARK = "# Withdrawn by k3s-sync-manifests: the provisioned manifest of this name is gone.\n"


class Folders:
    """The provisioned manifests, and what k3s will find."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.provided = folder / "provided"
        self.server = folder / "server"
        self.deployed = self.server / "manifests"
        self.provided.mkdir()
        (self.server / "db").mkdir(parents=True)

    def provide(self, *names: str) -> None:
        for file in self.provided.iterdir():
            file.unlink()
        for name in names:
            (self.provided / name).write_text(name)

    def sync(self, kill_at: int | None = None) -> subprocess.CompletedProcess[str]:
        environment = {"MANIFEST_DIR": str(self.provided), "SERVER_DIR": str(self.server)}
        return script.run(
            "k3s-sync-manifests", "control-plane", environment, kill_at=kill_at, folder=self.folder
        )

    def seen(self) -> dict[str, str]:
        """File name -> what k3s reads there; a link's target for a link that leads nowhere."""
        return {
            path.name: path.read_text() if path.exists() else f"-> {path.readlink()}"
            for path in self.deployed.iterdir()
            if path.suffix in {".yaml", ".yml", ".json", ".skip"}
        }


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_every_manifest_is_linked_not_copied(folders: Folders) -> None:
    folders.provide("raya-a.yaml", "raya-b.yaml")
    assert folders.sync().returncode == 0
    assert folders.seen() == {"raya-a.yaml": "raya-a.yaml", "raya-b.yaml": "raya-b.yaml"}
    assert all(path.is_symlink() for path in folders.deployed.iterdir())
    assert folders.deployed.stat().st_mode & 0o777 == 0o700


def test_m1_a_manifest_that_is_gone_becomes_one_that_holds_nothing(folders: Folders) -> None:
    folders.provide("raya-a.yaml", "raya-b.yaml")
    folders.sync()
    folders.provide("raya-a.yaml")
    done = folders.sync()
    assert folders.seen() == {"raya-a.yaml": "raya-a.yaml", "raya-b.yaml": MARK}
    assert "raya-b.yaml is gone" in done.stdout


def test_the_empty_manifest_stays_until_the_manifest_is_back(folders: Folders) -> None:
    folders.provide("raya-a.yaml")
    folders.sync()
    folders.provide()
    for _ in range(3):
        assert folders.sync().returncode == 0
        assert folders.seen() == {"raya-a.yaml": MARK}
    folders.provide("raya-a.yaml")
    folders.sync()
    assert folders.seen() == {"raya-a.yaml": "raya-a.yaml"}


def test_a_datastore_that_was_dropped_needs_no_empty_manifests(folders: Folders) -> None:
    folders.provide("raya-a.yaml")
    folders.sync()
    folders.provide()
    folders.sync()
    (folders.server / "db").rmdir()
    folders.sync()
    assert folders.seen() == {}


def test_nothing_that_others_made_is_touched(folders: Folders) -> None:
    folders.provide("raya-a.yaml")
    folders.deployed.mkdir()
    (folders.deployed / "traefik.yaml").write_text("k3s' own")
    (folders.deployed / "other.yaml").symlink_to("/nowhere/other.yaml")
    (folders.deployed / "raya-a.yaml").write_text("put there by hand")
    (folders.deployed / "metrics-server").mkdir()
    before = folders.seen()
    done = folders.sync()
    assert done.returncode == 0
    assert folders.seen() == before
    assert "raya-a.yaml was put there by somebody else" in done.stderr


def test_a_second_link_to_the_same_manifest_is_removed_and_a_skip_file_reported(folders: Folders) -> None:
    folders.provide("raya-a.yaml")
    folders.deployed.mkdir()
    (folders.deployed / "copy.yaml").symlink_to(folders.provided / "raya-a.yaml")
    (folders.deployed / "raya-a.yaml.skip").write_text("")
    done = folders.sync()
    assert folders.seen() == {"raya-a.yaml": "raya-a.yaml", "raya-a.yaml.skip": ""}
    assert "a second link" in done.stdout
    assert "raya-a.yaml.skip keeps k3s from deploying" in done.stderr


def test_running_again_changes_nothing(folders: Folders) -> None:
    folders.provide("raya-a.yaml")
    folders.sync()
    link = (folders.deployed / "raya-a.yaml").lstat()
    folders.sync()
    assert (folders.deployed / "raya-a.yaml").lstat().st_ino == link.st_ino


def test_f10_killed_anywhere_the_next_run_ends_in_the_same_state(tmp_path: Path) -> None:
    kills = 0
    for kill_at in range(1, 1000, 5):
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        folders = Folders(folder)
        folders.provide("raya-a.yaml", "raya-b.yaml")
        folders.sync()
        folders.provide("raya-a.yaml", "raya-c.yaml")
        if folders.sync(kill_at=kill_at).returncode == 0:
            break
        kills += 1
        assert folders.seen()["raya-b.yaml"] in {MARK, f"-> {folders.provided / 'raya-b.yaml'}"}
        assert folders.sync().returncode == 0
        expected = {"raya-a.yaml": "raya-a.yaml", "raya-b.yaml": MARK, "raya-c.yaml": "raya-c.yaml"}
        assert folders.seen() == expected
        assert {path.name for path in folders.deployed.iterdir()} == set(expected)
    assert kills > 8
