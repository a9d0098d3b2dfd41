"""What the stand-in makes of flags, the config file and its drop-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

from raya.machine_config import NodeSpec
from tests import machines
from tests.unit.k3s_stand_in.conftest import Make
from tests.unit.k3s_stand_in.machine import SECRET, Machine

DROP_INS = "etc/rancher/k3s/config.yaml.d"


def test_drop_ins_replace_and_append_in_alphabetical_order(server: Machine) -> None:
    server.config |= {"node-name": "first", "kubelet-arg": ["one=1"], "node-label": ["gone=1"]}
    server.write(f"{DROP_INS}/20-later.yaml", "node-name: last\nnode-label: [kept=1]\n")
    server.write(f"{DROP_INS}/10-sooner.yml", "node-name: middle\nkubelet-arg+: [two=2]\n")
    server.serve()
    server.wait_for_log("--hostname-override=last --one=1 --two=2")
    labels = server.node("last")["metadata"]["labels"]
    assert labels["kept"] == "1"
    assert "gone" not in labels


def test_a_drop_in_without_a_known_extension_is_not_read(server: Machine) -> None:
    server.write(f"{DROP_INS}/50-public-ip.yaml.new", "node-name: wrong\n")
    server.write(f"{DROP_INS}/.50-public-ip.aBcDeF", "node-name: wrong\n")
    server.serve()
    server.wait_for_log("--hostname-override=control-plane")


def test_the_command_line_wins(server: Machine) -> None:
    server.serve("--node-name", "chosen")
    server.wait_for_log("--hostname-override=chosen")


def test_a_server_skips_what_it_does_not_know(server: Machine) -> None:
    server.config["flanel-iface"] = "lo"
    server.serve()
    assert r'level=warning msg="Unknown flag --flanel-iface found in config.yaml, skipping\n"' in server.log


@pytest.mark.parametrize("key", ["flanel-iface", "disable"])
def test_an_agent_refuses_what_it_does_not_know(make: Make, key: str) -> None:
    agent = make("agent-1", token=SECRET, **{key: "lo"})
    agent.start("agent")
    assert agent.status() == 1
    assert f'level=fatal msg="flag provided but not defined: -{key}"' in agent.log


def test_an_unknown_flag_on_the_command_line_is_refused(server: Machine) -> None:
    server.start("server", "--nonsense")
    assert server.status() == 1
    assert 'level=fatal msg="flag provided but not defined: -nonsense"' in server.log


def test_a_flag_without_an_effect_says_so(server: Machine) -> None:
    server.config["cluster-cidr"] = "10.42.0.0/16"
    server.serve()
    assert "The stand-in does not simulate --cluster-cidr" in server.log


def test_a_config_file_that_is_no_yaml_is_refused(server: Machine) -> None:
    server.write(f"{DROP_INS}/50-public-ip.yaml", 'node-external-ip: "\n')
    server.start("server")
    assert server.status() == 1
    assert 'level=fatal msg="yaml: ' in server.log


def test_a_token_file_is_waited_for(server: Machine) -> None:
    file = server.root / "token"
    del server.config["token"]
    server.config["token-file"] = str(file)
    server.start("server")
    server.wait_for_log(f"Waiting for {file} to be available")
    file.write_text(f"{SECRET}\n")
    server.wait_for_log("k3s is up and running")
    assert (server.server / "token").read_text().endswith(f"::server:{SECRET}\n")


def test_a_token_file_that_never_comes_ends_it(server: Machine) -> None:
    server.config["token-file"] = str(server.root / "token")
    server.start("server", STAND_IN_HASTE="2000")
    assert server.status() == 1
    assert 'level=fatal msg="Timeout while trying to read the file"' in server.log


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ({"flannel-iface": "enp7s0x"}, "server is not ready: unable to find interface enp7s0x: "),
        ({"node-external-ip": "nonsense"}, "server is not ready: invalid node-external-ip: "),
        (
            {"node-ip": "192.0.2.7"},
            'failed to validate nodeIP: node IP: "192.0.2.7" not found in the host\'s network interfaces',
        ),
    ],
    ids=["interface", "external address", "address of nobody"],
)
def test_a_node_waits_for_what_it_lacks(agent: Machine, config: dict[str, str], complaint: str) -> None:
    agent.config |= config
    agent.start("agent")
    agent.wait_for_log(complaint, times=2)
    assert agent.is_running


def test_a_server_cannot_listen_on_an_address_of_nobody(server: Machine) -> None:
    server.config["bind-address"] = "192.0.2.7"
    server.start("server")
    assert server.status() == 1
    assert "bind: cannot assign requested address" in server.log


def test_what_the_machines_are_told_is_understood_to_the_last_key(make: Make) -> None:
    here = {"nodes_subnet": "127.0.0.0/24", "control_plane_ip": "127.0.0.1"}
    control_plane, agent = make("control-plane"), make("agent-3")
    _provision(control_plane, machines.control_plane(private_ip="127.0.0.1", **here))
    _provision(agent, machines.agent(private_ip="127.0.0.2", **here))
    # Only what lies elsewhere than on a real machine.
    elsewhere = ("--token", SECRET, "--token-file=", "--flannel-iface=lo")
    control_plane.serve(*elsewhere)
    agent.start("agent", *elsewhere, "--server", control_plane.url)
    control_plane.wait_for_ready("agent-3")
    assert control_plane.items("nodes")["agent-3"]["metadata"]["labels"]["raya.dev/fleet"] == "file"
    assert not (control_plane.manifests / "local-storage.yaml").exists()
    for machine in (control_plane, agent):
        assert "Unknown flag" not in machine.log
        assert "does not simulate" not in machine.log


def _provision(machine: Machine, spec: NodeSpec) -> None:
    told = [entry for path, entry in machines.entries(spec).items() if path.startswith("/etc/rancher/k3s/")]
    assert {Path(entry.path).name for entry in told} >= {"config.yaml", "10-common.yaml"}
    for entry in told:
        machine.write(entry.path.lstrip("/"), entry.contents.decode())
