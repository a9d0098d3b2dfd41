"""What the stand-in does with the files in server/manifests, and what it leaves undone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.k3s_stand_in.machine import Machine, until


def namespace(*names: str) -> str:
    """A manifest of namespaces."""
    return "---\n".join(f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {name}\n" for name in names)


@pytest.fixture
def running(server: Machine) -> Machine:
    server.manifests.mkdir(parents=True)
    server.serve()
    return server


def wait_for_object(server: Machine, name: str) -> None:
    until(lambda: name in server.items("objects"), f"{name} is deployed")


def wait_until_gone(server: Machine, name: str) -> None:
    until(lambda: name not in server.items("objects"), f"{name} is torn down")


def wait_for_another_scan(server: Machine, mark: str = "mark") -> None:
    """Until k3s has looked at all that was there before this call: the mark comes last in a scan."""
    (server.manifests / f"zz-{mark}.yaml").write_text(namespace(f"zz-{mark}"))
    wait_for_object(server, f"zz-{mark}")


def test_the_bundled_files_are_deployed(running: Machine) -> None:
    for name in ("coredns", "traefik", "metrics-server", "local-path"):
        wait_for_object(running, name)
    assert set(running.items("addons")) >= {
        "coredns",
        "traefik",
        "local-storage",
        "metrics-server-deployment",
    }


def test_a_disabled_file_is_taken_away_with_all_it_deployed(running: Machine) -> None:
    wait_for_object(running, "local-path")
    wait_for_object(running, "metrics-server")
    running.stop()
    running.config["disable"] = ["local-storage", "metrics-server"]
    running.serve()
    wait_until_gone(running, "local-path")
    wait_until_gone(running, "metrics-server")
    wait_for_another_scan(running)
    assert "local-storage" not in running.items("addons")
    assert not (running.manifests / "local-storage.yaml").exists()
    assert not list((running.manifests / "metrics-server").iterdir())
    assert (running.manifests / "coredns.yaml").exists()


def test_a_bundled_file_is_written_anew_at_each_start(running: Machine) -> None:
    file = running.manifests / "traefik.yaml"
    original = file.read_text()
    running.stop()
    file.write_text("# mine\n")
    running.serve()
    assert file.read_text() == original


def test_links_are_followed_and_what_a_changed_file_no_longer_holds_is_pruned(running: Machine) -> None:
    provisioned = running.write("etc/raya/manifests/raya-x.yaml", namespace("kept", "dropped"))
    link = running.manifests / "raya-x.yaml"
    link.symlink_to(provisioned)
    wait_for_object(running, "dropped")
    deployed = running.items("objects")["dropped"]["deployed"]
    assert (deployed["addon"], deployed["file"]) == ("raya-x", str(link))
    link.unlink()
    link.write_text(namespace("kept"))
    wait_until_gone(running, "dropped")
    assert "kept" in running.items("objects")


def test_a_vanished_file_changes_nothing_now_or_at_the_next_start(running: Machine) -> None:
    file = running.manifests / "raya-x.yaml"
    file.write_text(namespace("orphan"))
    wait_for_object(running, "orphan")
    file.unlink()
    wait_for_another_scan(running)
    assert "orphan" in running.items("objects")
    running.stop()
    running.serve()
    wait_for_another_scan(running, "other-mark")
    assert "orphan" in running.items("objects")
    assert "raya-x" in running.items("addons")


@pytest.mark.parametrize("empty", ["", "# Nothing here.\n", "---\n---\n"])
def test_an_emptied_file_tears_everything_down(running: Machine, empty: str) -> None:
    file = running.manifests / "raya-x.yaml"
    file.write_text(namespace("one", "two"))
    wait_for_object(running, "two")
    running.stop()
    file.write_text(empty)
    running.serve()
    wait_until_gone(running, "one")
    wait_until_gone(running, "two")


def test_what_is_labelled_not_to_be_pruned_stays(running: Machine) -> None:
    file = running.manifests / "raya-x.yaml"
    label = '  labels:\n    objectset.rio.cattle.io/prune: "false"\n'
    file.write_text(namespace("pruned") + "---\n" + namespace("kept") + label)
    wait_for_object(running, "kept")
    running.stop()
    file.write_text("")
    running.serve()
    wait_until_gone(running, "pruned")
    wait_for_another_scan(running)
    assert "kept" in running.items("objects")


def test_which_files_are_read(running: Machine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (running.manifests / "folder/below").mkdir(parents=True)
    elsewhere.mkdir()
    (running.manifests / "linked").symlink_to(elsewhere)
    listed = {"apiVersion": "v1", "kind": "List", "items": [json.loads(_as_json("of-a-list"))]}
    read = {
        running.manifests / "a.yml": namespace("yml"),
        running.manifests / "b.json": _as_json("json"),
        running.manifests / "c.YAML": namespace("capitals"),
        running.manifests / "list.json": json.dumps(listed),
        running.manifests / "folder/below/d.yaml": namespace("nested"),
        elsewhere / "e.yaml": namespace("linked"),
    }
    ignored = {
        running.manifests / ".hidden.yaml": namespace("hidden"),
        running.manifests / "f.yaml.new": namespace("unfinished"),
        running.manifests / "g.txt": namespace("text"),
    }
    for file, text in {**ignored, **read}.items():
        file.write_text(text)
    for name in ("yml", "json", "capitals", "of-a-list", "nested", "linked"):
        wait_for_object(running, name)
    wait_for_another_scan(running)
    assert not {"hidden", "unfinished", "text"} & set(running.items("objects"))


def _as_json(name: str) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def test_a_skipped_file_is_left_alone(running: Machine) -> None:
    (running.manifests / "raya-x.yaml.skip").touch()
    (running.manifests / "raya-x.yaml").write_text(namespace("skipped"))
    wait_for_another_scan(running)
    assert "skipped" not in running.items("objects")
    (running.manifests / "raya-x.yaml.skip").unlink()
    wait_for_object(running, "skipped")


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (f"{namespace('half')}---\nkind: [\n", "error converting YAML to JSON: yaml: "),
        ("kind: Namespace\n", "Object 'Kind' or 'apiVersion' is missing in "),
        ("apiVersion: v1\nkind: Namespace\n", "resource name may not be empty: a Namespace"),
    ],
    ids=["syntax", "no version", "no name"],
)
def test_a_broken_file_is_named_again_and_again_and_holds_up_no_other(
    running: Machine, broken: str, complaint: str
) -> None:
    file = running.manifests / "raya-x.yaml"
    file.write_text(broken)
    running.wait_for_log(f"Failed to process config: failed to process {file}: {complaint}", times=2)
    wait_for_another_scan(running)
    assert "half" not in running.items("objects")
    file.write_text(namespace("mended"))
    wait_for_object(running, "mended")


def test_a_link_that_leads_nowhere_holds_up_everything(running: Machine) -> None:
    wait_for_another_scan(running)
    link = running.manifests / "raya-x.yaml"
    link.symlink_to(running.root / "gone.yaml")
    running.wait_for_log(f"Failed to process config: stat {link}: no such file or directory")
    (running.manifests / "raya-y.yaml").write_text(namespace("held-up"))
    running.wait_for_log(f"Failed to process config: stat {link}: no such file or directory", times=3)
    assert "held-up" not in running.items("objects")
    link.unlink()
    wait_for_object(running, "held-up")


def test_the_last_of_two_files_to_apply_an_object_owns_it(running: Machine) -> None:
    first, second = running.manifests / "raya-a.yaml", running.manifests / "raya-b.yaml"
    first.write_text(namespace("shared"))
    wait_for_object(running, "shared")
    second.write_text(namespace("shared"))
    until(lambda: running.items("objects")["shared"]["deployed"]["addon"] == "raya-b", "raya-b takes it over")
    second.write_text("# Nothing here.\n")
    wait_until_gone(running, "shared")
    # Only a start applies again what has not changed.
    running.stop()
    running.serve()
    wait_for_object(running, "shared")


def test_two_files_of_one_name_up_to_the_first_dot_are_one_addon(running: Machine) -> None:
    (running.manifests / "raya-x.yaml").write_text(namespace("of-the-first"))
    wait_for_object(running, "of-the-first")
    (running.manifests / "raya-x.more.yaml").write_text(namespace("of-the-second"))
    wait_for_object(running, "of-the-second")
    wait_until_gone(running, "of-the-first")


def test_another_version_of_a_kind_is_the_same_object(running: Machine) -> None:
    file = running.manifests / "raya-x.yaml"
    file.write_text("apiVersion: example.org/v1beta1\nkind: Thing\nmetadata:\n  name: thing\n")
    wait_for_object(running, "thing")
    file.write_text("apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: thing\n")
    until(lambda: running.items("objects")["thing"]["apiVersion"] == "example.org/v1", "the thing is at v1")
