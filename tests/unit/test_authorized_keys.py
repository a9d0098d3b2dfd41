"""Keys from a real HTTP server: the good answers, and every kind of bad one."""

from __future__ import annotations

import itertools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from raya import authorized_keys
from raya.authorized_keys import AuthorizedKeysError
from tests.unit import ssh_keys

Answer = Callable[[BaseHTTPRequestHandler, int], None]


@dataclass
class KeyServer:
    """Answers ``/<user>.keys`` with ``answers[user]``, which gets the attempt's number; counts them."""

    url: str
    listener: ThreadingHTTPServer
    answers: dict[str, Answer] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)


@pytest.fixture
def server() -> Iterator[KeyServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            user = self.path.removeprefix("/").removesuffix(".keys")
            attempt = keys.attempts[user] = keys.attempts.get(user, 0) + 1
            keys.answers.get(user, status(404))(self, attempt)

        def log_message(self, format: str, *args: object) -> None:
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    keys = KeyServer(url=f"http://127.0.0.1:{listener.server_port}", listener=listener)
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield keys
    listener.shutdown()
    thread.join()
    listener.server_close()


def send(handler: BaseHTTPRequestHandler, code: int, body: bytes, headers: Mapping[str, str]) -> None:
    handler.send_response(code)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def text(body: str) -> Answer:
    return lambda handler, _: send(handler, 200, body.encode(), {"Content-Type": "text/plain"})


def status(code: int, body: str = "", **headers: str) -> Answer:
    return lambda handler, _: send(handler, code, body.encode(), headers)


def then(first: Answer, *, times: int, last: Answer) -> Answer:
    return lambda handler, attempt: (first if attempt <= times else last)(handler, attempt)


def hang_up(handler: BaseHTTPRequestHandler, _: int) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def silence(handler: BaseHTTPRequestHandler, _: int) -> None:
    time.sleep(1.0)


def drip(handler: BaseHTTPRequestHandler, _: int) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b"ssh")
        handler.wfile.flush()
        time.sleep(0.05)


def half(handler: BaseHTTPRequestHandler, _: int) -> None:
    body = f"{ssh_keys.ED25519}\n".encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body) * 2))
    handler.end_headers()
    handler.wfile.write(body)


def fetch(server: KeyServer, *users: str, timeout_s: float = 5.0) -> tuple[str, ...]:
    return authorized_keys.fetch(users, base_url=server.url, timeout_s=timeout_s, first_pause_s=0.01)


def test_every_kind_of_key_sorted_and_bare(server: KeyServer) -> None:
    server.answers["alice"] = text("".join(f"{key} alice@laptop\n" for key in reversed(ssh_keys.ALL)))
    assert fetch(server, "alice") == tuple(sorted(ssh_keys.ALL))


@pytest.mark.parametrize(
    "body",
    [
        f"{ssh_keys.ED25519}\n{ssh_keys.RSA_2048}\n",
        f"{ssh_keys.RSA_2048}\n{ssh_keys.ED25519}",
        f"{ssh_keys.RSA_2048} a comment\r\n\r\n  {ssh_keys.ED25519}  \t\r\n{ssh_keys.ED25519} again\r\n\n",
    ],
)
def test_order_comments_blanks_and_repetition_do_not_matter(server: KeyServer, body: str) -> None:
    server.answers["alice"] = text(body)
    assert fetch(server, "alice") == (ssh_keys.ED25519, ssh_keys.RSA_2048)


def test_the_order_of_the_users_does_not_matter(server: KeyServer) -> None:
    server.answers["alice"] = text(ssh_keys.ED25519)
    server.answers["bob"] = text(f"{ssh_keys.OTHER_ED25519}\n{ssh_keys.ED25519}")
    server.answers["carol"] = text(ssh_keys.RSA_2048)
    expected = tuple(sorted([ssh_keys.ED25519, ssh_keys.OTHER_ED25519, ssh_keys.RSA_2048]))
    for users in itertools.permutations(["alice", "bob", "carol"]):
        assert fetch(server, *users) == expected


PASSING: list[tuple[str, Answer]] = [
    ("status 500", status(500)),
    ("status 503", status(503)),
    ("status 429", status(429)),
    ("hang up", hang_up),
    ("half an answer", half),
]


@pytest.mark.parametrize(("_", "fault"), PASSING, ids=[name for name, _ in PASSING])
def test_a_passing_fault_is_tried_again(server: KeyServer, _: str, fault: Answer) -> None:
    server.answers["alice"] = then(fault, times=2, last=text(ssh_keys.ED25519))
    assert fetch(server, "alice") == (ssh_keys.ED25519,)
    assert server.attempts["alice"] == 3


@pytest.mark.parametrize(("_", "fault"), PASSING, ids=[name for name, _ in PASSING])
def test_a_fault_that_stays_ends_the_run(server: KeyServer, _: str, fault: Answer) -> None:
    server.answers["alice"] = fault
    with pytest.raises(AuthorizedKeysError, match=r"authorized user alice .* no machine is changed"):
        fetch(server, "alice")
    assert server.attempts["alice"] == 3


@pytest.mark.parametrize("slow", [silence, drip])
def test_a_slow_answer_is_a_timeout(server: KeyServer, slow: Answer) -> None:
    server.answers["alice"] = slow
    begin = time.monotonic()
    with pytest.raises(AuthorizedKeysError, match=r"alice .* did not answer within 0\.2 s"):
        fetch(server, "alice", timeout_s=0.2)
    assert time.monotonic() - begin < 5


LASTING: list[tuple[str, Answer, str]] = [
    ("unknown user", status(404, "Not Found"), "there is no such user"),
    ("forbidden", status(403), "HTTP status 403"),
    ("no content", status(204), "HTTP status 204"),
    ("empty", text(""), "the answer is empty"),
    ("blank", text("\n \r\n"), "the answer is empty"),
    (
        "HTML",
        text("<!DOCTYPE html>\n<html><body>Sign in</body></html>"),
        "line 1 of the answer is not a usable key",
    ),
    ("JSON", text('{"message": "rate limited"}'), "not a usable key"),
    (
        "one bad line",
        text(f"{ssh_keys.ED25519}\nssh-ed25519 AAAA"),
        "line 2 of the answer is not a usable key",
    ),
    ("cut short", text(ssh_keys.RSA_2048[:-20]), "not a usable key"),
    ("weak", text(ssh_keys.rsa(1024)), "RSA key of 1024 bits"),
    ("not ASCII", text(f"{ssh_keys.ED25519} Zoë"), "not plain ASCII"),
    ("NUL", text(f"{ssh_keys.ED25519}\0"), "not a usable key"),
    ("huge", text(f"{ssh_keys.ED25519}\n" * 5000), "larger than 256 KiB"),
    ("elsewhere", status(302, Location="http://192.0.2.1/alice.keys"), "redirects to another place"),
    ("other port", status(302, Location="http://127.0.0.1:1/alice.keys"), "redirects to another place"),
    (
        "far away",
        status(302, Location=f"http://192.0.2.1/{'x' * 10_000}"),
        "characters), which may not say who logs in",
    ),
    ("in circles", status(302, Location="/alice.keys"), "redirects more than 3 times"),
]


@pytest.mark.parametrize(("_", "answer", "reason"), LASTING, ids=[name for name, _, _ in LASTING])
def test_what_is_not_a_list_of_keys_ends_the_run(
    server: KeyServer, _: str, answer: Answer, reason: str
) -> None:
    server.answers["alice"] = answer
    server.answers["bob"] = text(ssh_keys.ED25519)
    with pytest.raises(AuthorizedKeysError) as refusal:
        fetch(server, "bob", "alice")
    assert f"authorized user alice cannot be had from {server.url}/alice.keys" in str(refusal.value)
    assert reason in str(refusal.value)
    assert server.attempts["alice"] in (1, 4)


def test_a_redirect_in_the_same_place_is_followed(server: KeyServer) -> None:
    server.answers["alice"] = status(301, Location="/alice-new.keys")
    server.answers["alice-new"] = text(ssh_keys.ED25519)
    assert fetch(server, "alice") == (ssh_keys.ED25519,)


def test_a_certificate_that_nobody_vouches_for_is_refused(server: KeyServer, tmp_path: Path) -> None:
    server.answers["ada"] = text(ssh_keys.ED25519)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_self_signed(tmp_path / "server.pem"))
    server.listener.socket = context.wrap_socket(server.listener.socket, server_side=True)
    with pytest.raises(AuthorizedKeysError, match="CERTIFICATE_VERIFY_FAILED"):
        authorized_keys.fetch(["ada"], server.url.replace("http:", "https:"), timeout_s=5, first_pause_s=0.01)


def _self_signed(file: Path) -> Path:
    """A key and a certificate for this machine, made now and thrown away."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return file


def test_every_user_in_trouble_is_named(server: KeyServer) -> None:
    server.answers["bob"] = text("")
    with pytest.raises(AuthorizedKeysError) as refusal:
        fetch(server, "alice", "bob")
    assert "authorized user alice " in str(refusal.value)
    assert "authorized user bob " in str(refusal.value)


def test_the_first_20_users_in_trouble_are_named(server: KeyServer) -> None:
    with pytest.raises(AuthorizedKeysError) as refusal:
        fetch(server, *(f"user-{number}" for number in range(50)))
    assert len(str(refusal.value).splitlines()) == 21
    assert str(refusal.value).endswith("\nand 30 more")


@pytest.mark.parametrize(
    "base_url",
    [
        f"https://{'a' * 64}.example",
        "https://a..example",
        "https://xn--zzzzzz.example",
        f"https://github.com/{'x' * 70_000}",
    ],
    ids=range(4),
)
def test_an_address_that_cannot_be_asked(base_url: str) -> None:
    with pytest.raises(
        AuthorizedKeysError, match=r"usable address .* check raya:endpoints\.github"
    ) as refusal:
        authorized_keys.fetch(["alice"], base_url=base_url, timeout_s=1.0, first_pause_s=0.01)
    assert len(str(refusal.value)) < 1600


def test_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(AuthorizedKeysError, match=r"authorized user alice .*try again"):
        authorized_keys.fetch(
            ["alice"], base_url=f"http://127.0.0.1:{port}", timeout_s=1.0, first_pause_s=0.01
        )


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: KeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    server.answers["alice"] = text(ssh_keys.ED25519)
    assert fetch(server, "alice") == (ssh_keys.ED25519,)


@given(
    st.permutations(ssh_keys.ALL),
    st.lists(st.sampled_from(["", " comment", "\t", "\r"]), min_size=8, max_size=8),
)
def test_any_arrangement_of_the_same_keys_is_the_same(order: list[str], endings: list[str]) -> None:
    lines = [f"{key}{ending}" for key, ending in zip(order, endings, strict=True)]
    assert authorized_keys.merge([authorized_keys.parse("\n".join(lines))]) == tuple(sorted(ssh_keys.ALL))
