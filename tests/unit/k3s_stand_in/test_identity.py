"""CAs, tokens and the datastore that is bound to them."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import time
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from raya import kubeconfig, throwaway_keys, tokens
from raya.machine_config import ClusterPki
from tests.unit.k3s_stand_in.conftest import full_token
from tests.unit.k3s_stand_in.machine import SECRET, Machine

REFUSED = "bootstrap data already found and encrypted with different token"


def provision(server: Machine, pki: ClusterPki | None = None) -> dict[str, str]:
    """A complete set of CAs of the program's own making, put where k3s looks for them; name -> text."""
    files = dict((pki or throwaway_keys.pki()).files)
    for name, text in files.items():
        server.write(f"var/lib/rancher/k3s/server/tls/{name}", text)
    return files


def cacerts(server: Machine) -> str:
    """What the server shows to anybody."""
    return httpx.get(f"{server.url}/cacerts", verify=False).text


def test_provisioned_cas_are_used_as_they_are(server: Machine) -> None:
    files = provision(server)
    server.serve()
    assert cacerts(server) == files["server-ca.crt"]
    assert {name: (server.server / "tls" / name).read_text() for name in files} == files
    assert (server.server / "token").read_text() == tokens.agent_token(files["server-ca.crt"], SECRET) + "\n"


def test_the_serving_certificate_is_valid_for_every_name(server: Machine) -> None:
    server.config |= {"advertise-address": "192.0.2.8", "tls-san": ["192.0.2.9,cp.example.org"]}
    server.serve()
    trust = ssl.create_default_context(cafile=server.server / "tls/server-ca.crt")
    for name in ("127.0.0.1", "localhost", "control-plane", "192.0.2.8", "192.0.2.9", "cp.example.org"):
        with socket.create_connection(("127.0.0.1", server.port)) as plain:
            trust.wrap_socket(plain, server_hostname=name).close()
    with socket.create_connection(("127.0.0.1", server.port)) as plain, pytest.raises(ssl.SSLError):
        trust.wrap_socket(plain, server_hostname="another.example.org")


def test_the_public_address_is_advertised_when_no_other_is_given(server: Machine) -> None:
    server.config["node-external-ip"] = "203.0.113.7"
    server.serve()
    assert "--advertise-address=203.0.113.7 " in server.log


@pytest.mark.parametrize("missing", ["server-ca.key", "server-ca.crt"])
def test_an_incomplete_ca_is_silently_replaced(server: Machine, missing: str) -> None:
    files = provision(server)
    (server.server / "tls" / missing).unlink()
    server.serve()
    assert cacerts(server) != files["server-ca.crt"]
    assert "generated self-signed CA certificate CN=k3s-server-ca@" in server.log


def test_a_ca_with_the_key_of_another_one_ends_it(server: Machine) -> None:
    provision(server)
    shutil.copy(server.server / "tls/client-ca.key", server.server / "tls/server-ca.key")
    server.start("server")
    assert server.status() == 1
    assert "provided PrivateKey doesn't match parent's PublicKey" in server.log


def test_the_token_is_recorded_in_its_full_form(server: Machine) -> None:
    server.serve()
    assert (server.server / "token").read_text() == f"{full_token(server)}\n"
    for name in ("node-token", "agent-token"):
        assert (server.server / name).readlink() == server.server / "token"


def test_nobody_else_reads_the_secrets(server: Machine) -> None:
    server.serve()
    server.node("control-plane")
    private = [*server.data.rglob("*.key"), server.server / "token", server.server / "db/state.db"]
    private += [server.server / "cred/passwd", server.root / "etc/rancher/k3s/k3s.yaml"]
    assert len(private) > 12
    assert {file.stat().st_mode & 0o777 for file in private} == {0o600}


def test_without_a_token_one_is_made_and_kept(server: Machine) -> None:
    del server.config["token"]
    server.serve()
    made = (server.server / "token").read_text()
    assert re.fullmatch(r"K10[0-9a-f]{64}::server:[0-9a-f]{32}\n", made)
    server.stop()
    server.serve()
    assert (server.server / "token").read_text() == made


def test_the_first_server_takes_a_full_token_only_of_its_own_ca(server: Machine) -> None:
    files = provision(server)
    server.config["token"] = tokens.agent_token("another CA", SECRET)
    server.start("server")
    assert server.status() == 1
    assert "token CA hash does not match the Cluster CA certificate hash: " in server.log
    server.config["token"] = tokens.agent_token(files["server-ca.crt"], SECRET)
    server.serve()
    assert (server.server / "token").read_text() == server.config["token"] + "\n"


def test_a_token_that_is_none_is_refused(server: Machine) -> None:
    server.config["token"] = "K10abc::server:x"
    server.start("server")
    assert server.status() == 1
    assert (
        "failed to normalize server token; must be in format K10<CA-HASH>::<USERNAME>:<PASSWORD> or"
        in server.log
    )


def test_another_token_cannot_open_the_datastore(server: Machine) -> None:
    server.serve()
    cluster = server.cluster_id()
    server.stop()
    before = (server.server / "db/state.db").read_bytes()
    server.config["token"] = "another-secret"
    server.start("server")
    assert server.status() == 1
    assert f'level=fatal msg="starting kubernetes: preparing server: {REFUSED}"' in server.log
    assert (server.server / "db/state.db").read_bytes() == before
    server.config["token"] = full_token(server)
    server.serve()
    assert server.cluster_id() == cluster


def test_a_new_datastore_is_another_cluster(server: Machine) -> None:
    server.serve()
    cluster = server.cluster_id()
    server.stop()
    server.serve()
    assert server.cluster_id() == cluster
    server.stop()
    shutil.rmtree(server.server / "db")
    server.serve()
    assert server.cluster_id() != cluster


def test_a_newer_ca_on_the_disk_is_refused(server: Machine) -> None:
    provision(server)
    server.serve()
    server.stop()
    changed = server.server / "tls/client-ca.crt"
    changed.write_text(throwaway_keys.pki().client_ca_cert)
    _touch(changed, time.time() + 10)
    server.start("server")
    assert server.status() == 1
    assert (
        f"{changed} newer than datastore and could cause a cluster outage. Remove the file(s) from disk"
        in server.log
    )


def test_an_older_ca_on_the_disk_gives_way_to_the_datastore(server: Machine) -> None:
    files = provision(server)
    server.serve()
    server.stop()
    changed = server.server / "tls/server-ca.crt"
    changed.write_text(throwaway_keys.pki().server_ca_cert)
    _touch(changed, time.time() - 3600)
    server.serve()
    assert f"Datastore newer than {changed}" in server.log
    assert cacerts(server) == files["server-ca.crt"]


@pytest.mark.parametrize("lost", ["tls", "tls/etcd", "tls/server-ca.crt", "cred"])
def test_what_the_disk_has_lost_comes_back_from_the_datastore(server: Machine, lost: str) -> None:
    files = provision(server)
    server.serve()
    cluster = server.cluster_id()
    server.stop()
    path = server.server / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    server.serve()
    assert cacerts(server) == files["server-ca.crt"]
    assert server.cluster_id() == cluster


def test_the_kubeconfig_that_the_program_mints_opens_the_api(server: Machine) -> None:
    pki = throwaway_keys.pki()
    provision(server, pki)
    server.serve()
    certificate, key = _administrator(pki)
    minted = kubeconfig.render(
        "example", server_ca_cert=pki.server_ca_cert, client_cert=certificate, client_key=key
    )
    file = server.write("minted.yaml", minted)
    shown = server.kubectl("get", "namespaces", "--kubeconfig", str(file), "--server", server.url)
    assert (shown.returncode, shown.stderr) == (0, "")


def _administrator(pki: ClusterPki) -> tuple[str, str]:
    """A certificate of the client CA for an administrator, and its key."""
    authority = x509.load_pem_x509_certificate(pki.client_ca_cert.encode())
    signer = serialization.load_pem_private_key(pki.client_ca_key.encode(), None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        x509.CertificateBuilder()
        .subject_name(x509.Name.from_rfc4514_string("CN=raya-admin,O=system:masters"))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(authority.not_valid_before_utc)
        .not_valid_after(authority.not_valid_after_utc)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .sign(signer, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, plain)
    return certificate.public_bytes(pem).decode(), private.decode()


def test_a_datastore_that_is_cut_short_ends_it(server: Machine) -> None:
    server.serve()
    server.stop()
    file = server.server / "db/state.db"
    file.write_bytes(file.read_bytes()[:100])
    server.start("server")
    assert server.status() == 1
    assert f"{file} is no datastore of the stand-in" in server.log


def _touch(file: Path, when: float) -> None:
    os.utime(file, (when, when))
