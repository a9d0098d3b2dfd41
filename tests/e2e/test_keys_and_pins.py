"""What rebuilds machines, and what must not: authorized keys, snapshots, pins, the identity."""

from __future__ import annotations

import pytest

from tests.cloud import RunningCloud
from tests.e2e.engine import Engine

USERS = ("alice", "bob")


@pytest.fixture(scope="module", autouse=True)
def _running(engine: Engine, cloud: RunningCloud) -> None:
    engine.fleet({}, {})
    cloud.seed({"users": dict.fromkeys(USERS)})
    engine.configure("raya:authorizedUsers[1]", "bob")
    engine.up()


def test_keys_in_another_order_with_comments_and_spaces_change_nothing(
    engine: Engine, cloud: RunningCloud
) -> None:
    keys = cloud.keys("alice")
    cloud.seed({"users": {"carol": None}})
    (carol,) = cloud.keys("carol")
    cloud.set_keys("alice", [carol, *keys])
    engine.up()
    cloud.set_keys("alice", [f"{key} alice@laptop  \r" for key in [*keys, carol]])
    engine.preview("--expect-no-changes")
    cloud.set_keys("alice", keys)
    engine.up()


def test_a_new_key_rebuilds_every_machine_and_the_preview_says_so_in_one_line(
    engine: Engine, cloud: RunningCloud
) -> None:
    before = cloud.keys("alice")
    cloud.set_keys("alice", [*before, *cloud.keys("carol")])
    shown = engine.preview()
    lines = [line for line in (shown.stdout + shown.stderr).splitlines() if "this update rebuilds" in line]
    assert any("the control plane and every agent (2), because of" in line for line in lines)
    replaced = {name for name in engine.planned()["replace"] if name.startswith("Server::")}
    assert replaced == {"Server::control-plane", "Server::agent-0", "Server::agent-1"}
    mark = len(cloud.events())
    engine.up()
    happened = [event["text"] for event in cloud.events()[mark:]]
    # Never the control plane and agents at once.
    first_agent = min(happened.index(f"server.shutdown agent-{n}") for n in (0, 1))
    assert happened.index("volume.attach local-state -> control-plane") < first_agent


def test_a_newer_snapshot_of_the_same_pins_replaces_nothing_and_a_new_agent_gets_the_same(
    engine: Engine, cloud: RunningCloud
) -> None:
    (old,) = [image for image in cloud.hetzner("images") if image["type"] == "snapshot"]
    cloud.seed({"snapshots": [{"labels": old["labels"], "architecture": "x86"}]})
    engine.preview("--expect-no-changes")
    engine.fleet({}, {}, {})
    engine.up()
    images = {each["name"]: each["image"]["id"] for each in cloud.hetzner("servers")}
    assert len(images) == 4
    assert set(images.values()) == {old["id"]}
    engine.fleet({}, {})
    engine.up()


def test_a_changed_pin_replaces_every_machine(engine: Engine, cloud: RunningCloud) -> None:
    pin = engine.folder / "image" / "k3s.pin"
    text = pin.read_text()
    pin.write_text(text.replace("v1.36.3+k3s1", "v1.36.4+k3s1"))
    (newer, *_) = sorted(
        (image for image in cloud.hetzner("images") if image["type"] == "snapshot"),
        key=lambda each: -each["id"],
    )
    cloud.seed(
        {"snapshots": [{"labels": {**newer["labels"], "k3s_version": "v1.36.4-k3s1"}, "architecture": "x86"}]}
    )
    servers = {name for name in engine.planned()["replace"] if name.startswith("Server::")}
    assert servers == {"Server::control-plane", "Server::agent-0", "Server::agent-1"}
    pin.write_text(text)


def test_snapshot_that_vanished_is_a_sentence_and_the_way_it_names_works(
    engine: Engine, cloud: RunningCloud
) -> None:
    used = {server["image"]["id"] for server in cloud.hetzner("servers")}
    cloud.delete_image(used.pop())
    refused = engine.preview(check=False)
    shown = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode != 0
    assert "no longer exists; others of the same pins do" in shown
    name = shown.split("pulumi up --replace '")[1].split("'")[0]
    engine.up("--replace", name)
    engine.preview("--expect-no-changes")


def test_identity_is_not_replaced_by_accident(engine: Engine, cloud: RunningCloud) -> None:
    mark = len(cloud.events())
    refused = engine.up("--replace", "**::join-token", check=False)
    assert refused.returncode != 0
    assert "protect" in refused.stdout + refused.stderr
    assert cloud.events()[mark:] == []


def test_identity_is_replaced_on_purpose_as_the_runbook_says(engine: Engine) -> None:
    before = engine.outputs(secrets=True)["joinToken"]
    (urn,) = [
        each["urn"] for each in engine.resources() if each["urn"].endswith("RandomPassword::join-token")
    ]
    engine.pulumi("state", "unprotect", urn, "--yes")
    shown = engine.preview("--replace", urn)
    assert "this update rebuilds the control plane and every agent (2)" in shown.stdout + shown.stderr
    engine.up("--replace", urn)
    assert engine.outputs(secrets=True)["joinToken"] != before
    (again,) = [each for each in engine.resources() if each["urn"] == urn]
    assert again["protect"] is True
