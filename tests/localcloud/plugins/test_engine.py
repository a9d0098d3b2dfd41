"""The real engine over every resource the stand-ins know: one story, told in order."""

from __future__ import annotations

import json
from typing import Any

from tests.cloud import RunningCloud
from tests.localcloud.plugins.conftest import CANARY, Stack

RESOURCES = 30  # the stack itself included


# What the cloud adds to a resource when a later one refers to it.
GROWN_LATER = {"Firewall::wall": "applyTos", "PlacementGroup::group": "servers", "Volume::data": "serverId"}


def _outputs(state: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What the state says of each resource of a cloud; the others never change by being read."""
    return {
        name: {
            key: value
            for key, value in entry.get("outputs", {}).items()
            if key not in ("etag", GROWN_LATER.get(name))
        }
        for name, entry in state.items()
        if entry["type"].partition(":")[0] in ("hcloud", "gcp")
    }


def test_everything_is_created(stack: Stack, cloud: RunningCloud) -> None:
    assert f"+ {RESOURCES} created" in stack.up()
    (server,) = cloud.hetzner("servers")
    assert server["private_net"][0]["ip"] == "10.0.1.10"
    assert cloud.user_data("server") == f"#{CANARY}"
    (volume,) = cloud.hetzner("volumes")
    assert volume["server"] == server["id"]


def test_nothing_is_left_to_do(stack: Stack) -> None:
    stack.pulumi("preview", "--expect-no-changes")


def test_a_refresh_reads_exactly_what_was_made(stack: Stack) -> None:
    before = stack.state()
    stack.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    after = stack.state()
    assert len(_outputs(before)) == 21
    assert _strip_secrets(_outputs(after)) == _strip_secrets(_outputs(before))


def test_secrets_stay_secret(stack: Stack) -> None:
    state = stack.state()
    assert CANARY not in json.dumps(state)
    hidden = {
        "RandomPassword::password": ("result", "bcryptHash"),
        "RandomBytes::bytes": ("hex", "base64"),
        "PrivateKey::ca": ("privateKeyPem", "privateKeyPemPkcs8", "privateKeyOpenssh"),
        "Server::server": ("userData",),
        "Key::one": ("privateKey",),
        "LocallySignedCert::admin": ("caPrivateKeyPem",),
    }
    for name, properties in hidden.items():
        for key in properties:
            assert "ciphertext" in state[name]["outputs"][key], f"{name}.{key}"
    assert "ciphertext" in state["Server::server"]["inputs"]["userData"]
    shown = stack.pulumi("preview", "--diff").stdout + stack.pulumi("stack", "output").stdout
    assert CANARY not in shown


def test_changes_in_place(stack: Stack, cloud: RunningCloud) -> None:
    server_before = cloud.hetzner("servers")[0]
    stack.pulumi("config", "set", "variant", "second")
    printed = stack.up("--diff")
    assert "~ 8 updated" in printed
    assert "replaced" not in printed
    assert CANARY not in printed
    (server,) = cloud.hetzner("servers")
    assert server["id"] == server_before["id"]
    assert server["server_type"]["name"] == "cx33"
    assert server["status"] == "running"
    assert cloud.hetzner("volumes")[0]["size"] == 20
    stack.pulumi("preview", "--expect-no-changes")
    stack.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes")


def test_a_replacement(stack: Stack, cloud: RunningCloud) -> None:
    before = cloud.hetzner("servers")[0]
    stack.pulumi("config", "set", "variant", "third")
    first = len(cloud.requests())
    printed = stack.up("--diff")
    assert "+-3 replaced" in printed
    (server,) = cloud.hetzner("servers")
    assert server["id"] != before["id"]
    assert server["private_net"][0]["ip"] == "10.0.1.10"
    assert cloud.hetzner("volumes")[0]["server"] == server["id"]
    address = server["public_net"]["ipv4"]["ip"]
    assert [r["rrdatas"] for r in cloud.records("k8s.example.org.") if r["type"] == "A"] == [[address]]
    calls = [(call["method"], call["path"].rpartition("/v1/")[2]) for call in cloud.requests()[first:]]
    shut = calls.index(("POST", f"servers/{before['id']}/actions/shutdown"))
    gone = calls.index(("DELETE", f"servers/{before['id']}"))
    made = calls.index(("POST", "servers"))
    assert shut < gone < made
    stack.pulumi("preview", "--expect-no-changes")


def test_drift_is_seen_and_mended(stack: Stack, cloud: RunningCloud) -> None:
    cloud.delete_server("server")
    cloud.add_record("k8s.example.org.", "extra.k8s.example.org.", "TXT", ['"by hand"'])
    printed = stack.pulumi("refresh", "--yes", "--skip-preview").stdout
    assert "- 3 deleted" in printed  # the server and its two attachments
    assert "+ 3 created" in stack.up()
    stack.pulumi("preview", "--expect-no-changes")


def test_what_the_state_lost_is_imported(stack: Stack) -> None:
    before = stack.state()
    lost = [
        ("hcloud:index/volumeAttachment:VolumeAttachment", "data"),
        ("hcloud:index/volume:Volume", "data"),
    ]
    for token, name in lost:
        stack.pulumi("state", "delete", "--yes", before[f"{token.rpartition(':')[2]}::{name}"]["urn"])
    for token, name in reversed(lost):
        resource_id = before[f"{token.rpartition(':')[2]}::{name}"]["id"]
        quiet = ("--yes", "--skip-preview", "--generate-code=false", "--protect=false")
        stack.pulumi("import", *quiet, token, name, resource_id)
    stack.pulumi("preview", "--expect-no-changes")


def test_destroy_removes_everything(stack: Stack, cloud: RunningCloud) -> None:
    printed = stack.pulumi("destroy", "--yes", "--skip-preview").stdout
    assert f"- {RESOURCES} deleted" in printed
    kinds = ("servers", "volumes", "networks", "firewalls", "primary_ips", "placement_groups", "ssh_keys")
    assert {kind: cloud.hetzner(kind) for kind in kinds} == {kind: [] for kind in kinds}
    assert [zone["dnsName"] for zone in cloud.zones()] == ["example.org."]
    assert {record["type"] for record in cloud.records("example.org.")} == {"NS", "SOA"}


def _strip_secrets(outputs: dict[str, Any]) -> dict[str, Any]:
    """A secret is encrypted anew each time, so only its being one can be compared."""
    text = json.dumps(outputs, sort_keys=True)
    stripped: dict[str, Any] = json.loads(text, object_hook=_without_ciphertext)
    return stripped


def _without_ciphertext(value: dict[str, Any]) -> dict[str, Any]:
    return {key: item for key, item in value.items() if key != "ciphertext"}
