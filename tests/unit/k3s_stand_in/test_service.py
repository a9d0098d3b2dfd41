"""The program as a service: what it says it is, when it is ready, how it ends, what kubectl shows."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

from tests.boot.lab import k3s_stand_in
from tests.unit.k3s_stand_in.machine import PATIENCE_S, Machine, until

IS_NONE = "This is a stand-in for k3s"


def test_it_says_everywhere_that_it_is_a_stand_in(program: Path, server: Machine) -> None:
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert shown.startswith("k3s version ")
    assert IS_NONE in shown
    server.serve()
    assert IS_NONE in server.log.splitlines()[0]
    assert IS_NONE in (server.server / "db/state.db").read_text()
    assert "stand-in" in (k3s_stand_in.SOURCES / "README.md").read_text().splitlines()[0]


def test_the_program_is_built_once(program: Path) -> None:
    assert k3s_stand_in.build() == program


def test_systemd_hears_of_a_server_when_its_api_answers(server: Machine, tmp_path: Path) -> None:
    with _notifications(tmp_path / "notify") as heard:
        server.start("server", NOTIFY_SOCKET=str(tmp_path / "notify"))
        assert heard.recv(64) == b"READY=1\n"
    assert server.kubectl("get", "namespaces").returncode == 0


def test_systemd_hears_of_an_agent_when_it_has_joined(
    server: Machine, agent: Machine, tmp_path: Path
) -> None:
    with _notifications(tmp_path / "notify") as heard:
        agent.start("agent", NOTIFY_SOCKET=str(tmp_path / "notify"))
        assert heard.recv(64) == b"READY=1\n"
    assert "agent-1" in server.items("nodes")


def _notifications(path: Path) -> socket.socket:
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(str(path))
    heard.settimeout(PATIENCE_S)
    return heard


def test_both_roles_end_in_order_when_they_are_asked_to(server: Machine, agent: Machine) -> None:
    agent.start("agent")
    server.wait_for_ready("agent-1")
    assert agent.stop() == 0
    assert server.stop() == 0


def test_an_agent_that_still_waits_ends_too(agent: Machine, server: Machine) -> None:
    server.stop()
    agent.start("agent")
    agent.wait_for_log("Failed to validate connection to cluster at ")
    assert "failed to get CA certs: " in agent.log
    assert agent.stop() == 0


def test_kubectl_shows_nodes_as_a_table(server: Machine, agent: Machine) -> None:
    agent.start("agent")
    shown = [
        ["NAME", "STATUS", "ROLES", "VERSION"],
        ["agent-1", "Ready", "<none>", "v0.0.0+stand-in"],
        ["control-plane", "Ready", "control-plane", "v0.0.0+stand-in"],
    ]
    until(lambda: _rows(server) == shown, "both nodes are shown as Ready")
    assert len(_rows(server, "--no-headers")) == 2


def _rows(server: Machine, *options: str) -> list[list[str]]:
    return [line.split() for line in server.kubectl("get", "nodes", *options).stdout.splitlines()]


def test_kubectl_names_what_it_cannot_find(server: Machine) -> None:
    server.serve()
    missing = server.kubectl("get", "node", "nobody")
    assert (missing.returncode, missing.stderr) == (
        1,
        'Error from server (NotFound): node "nobody" not found\n',
    )
    unknown = server.kubectl("get", "pods")
    assert (unknown.returncode, unknown.stderr) == (
        1,
        'error: the server doesn\'t have a resource type "pods"\n',
    )
    server.stop()
    refused = server.kubectl("get", "nodes")
    assert refused.returncode == 1
    assert f"The connection to the server 127.0.0.1:{server.port} was refused" in refused.stderr


def test_the_kubeconfig_has_the_mode_that_was_asked_for(server: Machine) -> None:
    server.config["write-kubeconfig-mode"] = "0640"
    server.serve()
    assert (server.root / "etc/rancher/k3s/k3s.yaml").stat().st_mode & 0o777 == 0o640
