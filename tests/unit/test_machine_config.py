"""Known faults of machine configs, as properties of what is rendered."""

from __future__ import annotations

import configparser
import dataclasses
from typing import Any

import pytest
import yaml

from raya.machine_config import NodeSpec
from tests import machines
from tests.machines import entries, render

BOTH = pytest.mark.parametrize(
    "spec", [machines.control_plane(), machines.agent()], ids=lambda spec: spec.role
)
KEYFILE = "/etc/NetworkManager/system-connections/enp7s0.nmconnection"


def text(spec: NodeSpec, path: str) -> str:
    return entries(spec)[path].contents.decode()


def k3s_config(spec: NodeSpec) -> dict[str, Any]:
    """config.yaml with its drop-ins. k3s lets a later file replace a key, so no key may be in two of them."""
    merged: dict[str, Any] = {}
    for path, entry in entries(spec).items():
        if path.startswith("/etc/rancher/k3s/config.yaml"):
            part = yaml.safe_load(entry.contents)
            assert not set(part) & set(merged)
            merged |= part
    return merged


def keyfile(spec: NodeSpec) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.read_string(text(spec, KEYFILE))
    return parser


def environment(spec: NodeSpec) -> dict[str, str]:
    lines = [line for line in text(spec, "/etc/raya/node.env").splitlines() if not line.startswith("#")]
    return {key: value.strip('"') for key, value in (line.split("=", 1) for line in lines)}


@BOTH
def test_k3_the_token_is_given_explicitly(spec: NodeSpec) -> None:
    token_file = k3s_config(spec)["token-file"]
    assert text(spec, token_file).strip() == spec.token
    assert entries(spec)[token_file].mode == 0o600


def test_k5_the_control_plane_has_the_bare_secret_and_an_agent_the_full_form() -> None:
    bare = text(machines.control_plane(), "/etc/raya/pki/token").strip()
    full = text(machines.agent(), "/etc/raya/token").strip()
    assert ":" not in bare
    assert full == f"K10{machines.FAKE_HASH}::server:{bare}"


def test_k5_an_agent_gets_an_address_a_token_its_password_and_no_other_secret() -> None:
    secret = {path for path, entry in entries(machines.agent()).items() if entry.mode == 0o600}
    assert secret == {
        KEYFILE,
        "/etc/raya/node.env",
        "/etc/raya/token",
        "/etc/rancher/node/password",
        "/etc/rancher/k3s/config.yaml",
    }
    assert k3s_config(machines.agent())["server"] == "https://10.0.1.10:6443"


def test_k6_the_control_plane_carries_the_whole_set_of_cas() -> None:
    spec = machines.control_plane()
    assert spec.pki is not None
    found = entries(spec)
    names = {"server-ca", "client-ca", "request-header-ca"}
    expected = {f"{name}.{kind}" for name in names for kind in ("crt", "key")} | {"service.key"}
    assert set(spec.pki.files) == expected
    for name, pem in spec.pki.files.items():
        assert found[f"/etc/raya/pki/{name}"].contents.decode() == pem
        assert found[f"/etc/raya/pki/{name}"].mode == 0o600
    assert found["/etc/raya/pki"].mode == 0o700


def test_k6_the_seeding_script_knows_the_same_set() -> None:
    script = (machines.OVERLAY / "control-plane/usr/local/bin/k3s-seed-pki").read_text()
    (line,) = [line for line in script.splitlines() if line.startswith("CA_FILES=")]
    assert line.removeprefix("CA_FILES=(").removesuffix(")").split() == list(machines.fake_pki().files)


@BOTH
def test_k7_the_cluster_ca_is_not_among_the_systems_trusted_ones(spec: NodeSpec) -> None:
    paths = set(entries(spec))
    assert len(paths) > 20
    assert not {path for path in paths if path.startswith(("/etc/pki/", "/etc/ssl/"))}


@BOTH
def test_k11_flannel_and_the_node_use_the_private_interface(spec: NodeSpec) -> None:
    config, network = k3s_config(spec), keyfile(spec)
    assert config["node-ip"] == spec.private_ip
    assert config["node-ip"] == network["ipv4"]["address1"].split("/")[0]
    assert config["flannel-iface"] == network["connection"]["interface-name"] == "enp7s0"
    assert environment(spec)["PRIVATE_IP"] == spec.private_ip
    assert environment(spec)["PRIVATE_INTERFACE"] == "enp7s0"


def test_the_api_is_bound_and_advertised_on_the_private_address_only() -> None:
    config = k3s_config(machines.control_plane())
    assert config["bind-address"] == config["advertise-address"] == "10.0.1.10"
    assert config["tls-san"] == ["127.0.0.1", "10.0.1.10"]
    assert config["disable"] == ["local-storage"]
    assert config["write-kubeconfig-mode"] == "0600"
    assert "node-taint" not in config


@BOTH
def test_selinux_and_the_limits_of_the_disk_are_stated(spec: NodeSpec) -> None:
    config = k3s_config(spec)
    assert config["selinux"] is False
    arguments = dict(argument.split("=", 1) for argument in config["kubelet-arg"])
    assert int(arguments["image-gc-low-threshold"]) < int(arguments["image-gc-high-threshold"]) <= 80
    assert {"eviction-hard", "container-log-max-size", "container-log-max-files"} <= set(arguments)


@BOTH
def test_names_and_password(spec: NodeSpec) -> None:
    assert text(spec, "/etc/hostname") == f"{spec.name}\n"
    assert k3s_config(spec)["node-name"] == spec.name
    assert text(spec, "/etc/rancher/node/password") == f"{spec.node_password}\n"
    labels = [f"{key}={value}" for key, value in spec.node_labels.items()]
    assert k3s_config(spec).get("node-label", []) == labels


@BOTH
def test_h1_the_interface_is_the_one_of_every_current_type(spec: NodeSpec) -> None:
    assert keyfile(spec)["connection"]["interface-name"] == "enp7s0"
    assert entries(spec)[KEYFILE].mode == 0o600


@BOTH
def test_h3_the_mtu_is_hetzners(spec: NodeSpec) -> None:
    assert keyfile(spec)["ethernet"]["mtu"] == "1450"
    assert "mtu" not in str(k3s_config(spec)).lower()


@BOTH
def test_h4_the_private_interface_is_never_the_way_out(spec: NodeSpec) -> None:
    ipv4 = keyfile(spec)["ipv4"]
    assert ipv4["never-default"] == "true"
    assert "gateway" not in ipv4
    assert ipv4["address1"] == f"{spec.private_ip}/32"
    assert ipv4["route1"] == f"{spec.gateway}/32"
    assert ipv4["route2"] == f"{spec.route},{spec.gateway}"
    assert ipv4["route2_options"] == "onlink=true"
    assert keyfile(spec)["ipv6"]["method"] == "disabled"


@BOTH
def test_network_online_waits_for_this_interface(spec: NodeSpec) -> None:
    assert keyfile(spec)["ipv4"]["may-fail"] == "false"
    assert keyfile(spec)["connection"]["autoconnect"] == "true"
    wait_s = int(keyfile(spec)["connection"]["wait-device-timeout"]) // 1000
    dropin = text(spec, "/etc/systemd/system/NetworkManager-wait-online.service.d/10-late-interface.conf")
    assert f"Environment=NM_ONLINE_TIMEOUT={wait_s}\n" in dropin


def test_h6_the_volume_has_its_stable_name_and_only_the_control_plane_has_one() -> None:
    assert environment(machines.control_plane())["VOLUME_DEVICE"] == machines.VOLUME_DEVICE
    assert "VOLUME_DEVICE" not in environment(machines.agent())


@BOTH
def test_the_pins_are_part_of_what_a_machine_is_told(spec: NodeSpec) -> None:
    assert environment(spec)["FCOS_VERSION"] == spec.fcos_version
    assert environment(spec)["K3S_VERSION"] == spec.k3s_version
    for pin in ("fcos_version", "k3s_version"):
        assert render(dataclasses.replace(spec, **{pin: "changed"})).user_data != render(spec).user_data


def test_core_is_the_only_user_and_logs_in_with_keys() -> None:
    users = [entry for entry in entries(machines.agent()).values() if entry.kind == "user"]
    assert [user.path for user in users] == ["user:core"]
    assert b"AAAAfakeKeyOfAlice" in users[0].contents
    assert b"password" not in users[0].contents


@BOTH
def test_p5_no_trace_of_an_unresolved_output(spec: NodeSpec) -> None:
    butane = render(spec).butane
    assert "Output" not in butane
    assert "Undefined" not in butane
