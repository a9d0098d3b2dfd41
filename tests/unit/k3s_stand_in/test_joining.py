"""How nodes come into the cluster, stay in it and are kept out of it."""

from __future__ import annotations

import shutil
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from raya import throwaway_keys, tokens
from tests.unit.k3s_stand_in.conftest import Make, full_token
from tests.unit.k3s_stand_in.machine import SECRET, Machine, until

REJECTED = (
    "Node password rejected, duplicate hostname or contents of '{file}' may not match server node-passwd "
    "entry, try enabling a unique node name with the --with-node-id flag"
)


def test_server_and_agent_are_nodes(server: Machine, agent: Machine) -> None:
    agent.config |= {"node-external-ip": "203.0.113.7", "node-label": ["raya.dev/fleet=file"]}
    agent.start("agent")
    server.wait_for_ready("agent-1")
    server.wait_for_ready("control-plane")
    assert {(a["type"], a["address"]) for a in server.node("agent-1")["status"]["addresses"]} == {
        ("InternalIP", "127.0.0.2"),
        ("ExternalIP", "203.0.113.7"),
        ("Hostname", "agent-1"),
    }
    assert server.node("agent-1")["metadata"]["labels"]["raya.dev/fleet"] == "file"
    labels = server.node("control-plane")["metadata"]["labels"]
    assert labels["node-role.kubernetes.io/control-plane"] == "true"


class Impostor:
    """A server that answers with a CA of its own, and remembers what it is asked: (path, credentials)."""

    def __init__(self, server: Machine) -> None:
        tls = server.server / "tls"
        asked: list[tuple[str, str | None]] = []
        self.asked = asked
        ca = (tls / "server-ca.crt").read_bytes()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, self.headers["Authorization"]))
                self.send_response(200)
                self.send_header("Content-Length", str(len(ca)))
                self.end_headers()
                self.wfile.write(ca)

            def log_message(self, format: str, *args: object) -> None:
                pass

        trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trust.load_cert_chain(tls / "serving-kube-apiserver.crt", tls / "serving-kube-apiserver.key")
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.socket = trust.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.url = f"https://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def impostor(server: Machine, agent: Machine) -> Iterator[Impostor]:
    made = Impostor(server)
    yield made
    made.close()


def test_an_agent_tells_a_server_of_another_ca_nothing(agent: Machine, impostor: Impostor) -> None:
    pinned = "0" * 64
    agent.config |= {"server": impostor.url, "token": f"K10{pinned}::server:{SECRET}"}
    agent.start("agent")
    agent.wait_for_log(
        f"Failed to validate connection to cluster at {impostor.url}: "
        f"token CA hash does not match the Cluster CA certificate hash: {pinned} != ",
        times=3,
    )
    assert set(impostor.asked) == {("/cacerts", None)}


def test_an_agent_with_a_bare_secret_is_warned_and_joins(server: Machine, agent: Machine) -> None:
    agent.config["token"] = SECRET
    agent.start("agent")
    server.wait_for_ready("agent-1")
    assert "the token does not include a CA hash." in agent.log


def test_a_ca_that_the_machine_trusts_is_not_compared(server: Machine, agent: Machine) -> None:
    agent.config["token"] = f"K10{'0' * 64}::server:{SECRET}"
    agent.start("agent", SSL_CERT_FILE=str(server.server / "tls/server-ca.crt"))
    server.wait_for_ready("agent-1")
    assert (
        "Cluster CA certificate is trusted by the host CA bundle. Token CA hash will not be validated."
        in agent.log
    )


def test_an_agent_with_a_wrong_secret_waits(server: Machine, agent: Machine) -> None:
    agent.config["token"] = full_token(server, "wrong")
    agent.start("agent")
    agent.wait_for_log(
        "Waiting to retrieve agent configuration; server is not ready: failed to retrieve configuration from "
        f"server: {server.url}/v1-k3s/config: 401 Unauthorized",
        times=2,
    )


@pytest.mark.parametrize("token", ["K10abc::server:x", "K10" + "0" * 64 + "::server"])
def test_a_malformed_token_is_named(agent: Machine, token: str) -> None:
    agent.config["token"] = token
    agent.start("agent")
    agent.wait_for_log("Failed to validate connection to cluster at ")
    assert "invalid token" in agent.log


@pytest.mark.parametrize("lacking", ["token", "server"])
def test_an_agent_needs_to_know_where_and_with_what(agent: Machine, lacking: str) -> None:
    del agent.config[lacking]
    agent.start("agent")
    assert agent.status() == 1
    assert f'level=fatal msg="--{lacking} is required"' in agent.log


def test_a_rebuilt_agent_that_knows_its_password_is_the_same_node(
    server: Machine, agent: Machine, make: Make
) -> None:
    agent.start("agent")
    uid = server.node("agent-1")["metadata"]["uid"]
    agent.stop()
    rebuilt = make("rebuilt", password="password of agent-1", **agent.config)
    rebuilt.start("agent")
    rebuilt.wait_for_log("Successfully registered node agent-1")
    assert server.node("agent-1")["metadata"]["uid"] == uid


def test_a_machine_with_another_password_does_not_get_the_name(
    server: Machine, agent: Machine, make: Make
) -> None:
    agent.start("agent")
    server.node("agent-1")
    agent.stop()
    rebuilt = make("rebuilt", password="another one", **agent.config)
    rebuilt.start("agent")
    rebuilt.wait_for_log(REJECTED.format(file=rebuilt.root / "etc/rancher/node/password"), times=2)
    assert "unable to verify hash for node 'agent-1': hash does not match" in server.log


def test_a_node_without_a_password_makes_one_up(server: Machine, agent: Machine) -> None:
    file = agent.root / "etc/rancher/node/password"
    file.unlink()
    agent.start("agent")
    server.wait_for_ready("agent-1")
    assert len(file.read_text().strip()) == 32
    assert file.stat().st_mode & 0o777 == 0o600


def test_agents_outlive_their_server_and_come_back_to_its_successor(
    server: Machine, agent: Machine, make: Make
) -> None:
    agent.start("agent")
    server.wait_for_ready("agent-1")
    cluster, uid, pid = server.cluster_id(), server.node("agent-1")["metadata"]["uid"], agent.pid
    server.stop()
    agent.wait_for_log("Unable to update node status, will retry: ")
    # Another machine of the same name and password, with the volume of the first one.
    successor = make("successor", password="password of control-plane", **server.config)
    shutil.copytree(server.data, successor.data, symlinks=True)
    successor.port = server.port
    successor.serve()
    assert successor.cluster_id() == cluster
    successor.wait_for_ready("agent-1")
    successor.wait_for_ready("control-plane")
    assert successor.node("agent-1")["metadata"]["uid"] == uid
    assert (agent.pid, agent.is_running) == (pid, True)


def test_a_node_that_is_silent_is_not_ready(server: Machine, agent: Machine) -> None:
    agent.start("agent")
    server.wait_for_ready("agent-1")
    agent.stop()
    until(lambda: not server.is_ready("agent-1"), "agent-1 is no longer Ready")
    assert server.kubectl("get", "nodes", "--no-headers").stdout.splitlines()[0].split()[:2] == [
        "agent-1",
        "NotReady",
    ]


def test_a_server_that_has_forgotten_a_node_is_not_told_of_it_again(server: Machine, agent: Machine) -> None:
    agent.start("agent")
    server.wait_for_ready("agent-1")
    server.stop()
    shutil.rmtree(server.server / "db")
    server.serve()
    agent.wait_for_log("/api/v1/nodes/agent-1/status: 404 Not Found")
    assert "agent-1" not in server.items("nodes")


def test_an_agent_is_told_what_is_wrong_with_a_server_of_the_wrong_kind(agent: Machine) -> None:
    agent.config["server"] = "http://127.0.0.1:6443"
    agent.start("agent")
    agent.wait_for_log("only https:// URLs are supported, invalid scheme: http://127.0.0.1:6443", times=2)


def test_a_node_speaks_of_itself_only(server: Machine, agent: Machine) -> None:
    agent.start("agent")
    server.wait_for_ready("agent-1")
    with _as_node(server, agent.data / "agent") as node:
        assert node.get("/readyz").text == "ok"
        assert node.get("/api/v1/nodes").status_code == 403
        assert node.put("/api/v1/nodes/control-plane/status", json={}).status_code == 403
        assert node.put("/api/v1/nodes/agent-1/status", json={}).status_code == 200
    with httpx.Client(base_url=server.url, verify=False) as stranger:
        assert stranger.get("/ping").text == "pong"
        assert stranger.get("/api/v1/nodes").status_code == 401
        assert stranger.get("/v1-k3s/config").status_code == 401


def _as_node(server: Machine, folder: Path) -> httpx.Client:
    trust = ssl.create_default_context(cafile=server.server / "tls/server-ca.crt")
    trust.load_cert_chain(folder / "client-kubelet.crt", folder / "client-kubelet.key")
    return httpx.Client(base_url=server.url, verify=trust)


def test_provisioned_agents_join_by_the_token_that_the_program_makes(server: Machine, make: Make) -> None:
    pki = throwaway_keys.pki()
    for name, text in pki.files.items():
        server.write(f"var/lib/rancher/k3s/server/tls/{name}", text)
    server.serve()
    token = tokens.agent_token(pki.server_ca_cert, SECRET)
    agent = make("agent-1", node_name="agent-1", node_ip="127.0.0.2", server=server.url, token=token)
    agent.start("agent")
    server.wait_for_ready("agent-1")
