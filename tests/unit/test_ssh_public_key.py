"""Which public keys are taken, and in which form."""

from __future__ import annotations

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from raya.ssh_public_key import SshKeyError, normalise
from tests.unit import ssh_keys


@pytest.mark.parametrize("line", ssh_keys.ALL, ids=lambda line: line[:40])
def test_every_accepted_kind(line: str) -> None:
    assert normalise(line) == line
    assert normalise(f"  {line}   alice@laptop, her second one \t\r\n") == line


@pytest.mark.parametrize(
    "public_key",
    [
        ed25519.Ed25519PrivateKey.generate().public_key(),
        ec.generate_private_key(ec.SECP256R1()).public_key(),
        ec.generate_private_key(ec.SECP384R1()).public_key(),
        ec.generate_private_key(ec.SECP521R1()).public_key(),
        rsa.generate_private_key(65537, 2048).public_key(),
    ],
    ids=["ed25519", "nistp256", "nistp384", "nistp521", "rsa"],
)
def test_real_keys(
    public_key: ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey,
) -> None:
    line = public_key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    assert normalise(line) == line


REFUSED = [
    ("", "it begins with ''"),
    ("# no keys", "it begins with '#'"),
    ("<!DOCTYPE html>", "accepted types are ssh-ed25519, ssh-rsa"),
    ("Not Found", "it begins with 'Not'"),
    (f'command="rm -rf /" {ssh_keys.ED25519}', "it begins with"),
    (ssh_keys.key("ssh-dss", b"\x01"), "it begins with 'ssh-dss'"),
    (ssh_keys.key("ssh-ed25519-cert-v01@openssh.com", b"\x01" * 32), "it begins with"),
    ("ssh-ed25519", "it says ssh-ed25519 but holds another type"),
    ("ssh-ed25519 !!!", "not base64"),
    (ssh_keys.ED25519[:-1], "not base64"),
    (ssh_keys.ED25519[:-12], "a part of one"),
    (ssh_keys.ED25519.replace("ssh-ed25519", "ssh-rsa"), "holds another type"),
    (ssh_keys.key("ssh-ed25519", b"\x01" * 31), "not such a key"),
    (ssh_keys.key("ssh-ed25519", b"\x01" * 32, b"more"), "not such a key"),
    (ssh_keys.rsa(1024), "RSA key of 1024 bits, and 2048 are the least"),
    (ssh_keys.rsa(2047), "RSA key of 2047 bits"),
    (ssh_keys.rsa(2048, exponent=1), "not such a key"),
    (ssh_keys.rsa(2048, exponent=4), "not such a key"),
    (ssh_keys.key("ssh-rsa", b"\x01\x00\x01", b"\xff" * 256), "not such a key"),
    (ssh_keys.key("ssh-rsa", b"\x01\x00\x01"), "not such a key"),
    (ssh_keys.key("ecdsa-sha2-nistp256", b"nistp384", ssh_keys.point(97)), "not such a key"),
    (ssh_keys.key("ecdsa-sha2-nistp256", b"nistp256", b"\x02" + b"\x07" * 32), "not such a key"),
    (ssh_keys.key("sk-ssh-ed25519@openssh.com", b"\x03" * 32), "not such a key"),
    (ssh_keys.key("sk-ecdsa-sha2-nistp256@openssh.com", b"nistp256", ssh_keys.point(65)), "not such a key"),
]


@pytest.mark.parametrize(("line", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_refused(line: str, reason: str) -> None:
    with pytest.raises(SshKeyError) as refusal:
        normalise(line)
    assert reason in str(refusal.value)


@given(
    st.text(max_size=60)
    | st.binary(max_size=80).map(lambda blob: f"ssh-ed25519 {base64.b64encode(blob).decode()}")
)
def test_garbage_is_never_a_key(line: str) -> None:
    with pytest.raises(SshKeyError):
        normalise(line)
