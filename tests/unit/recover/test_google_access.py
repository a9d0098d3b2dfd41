"""Refused credentials: which, where they are set, and what to do. Against a real server each."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from raya.recover.google import Project
from raya.recover.google_access import GoogleApiError
from tests.cloud import PROJECT, RunningCloud, running_cloud

_TOKEN = {"gcp:accessToken": "ya29.example"}


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    with running_cloud(tmp_path_factory.mktemp("cloud")) as running:
        yield running


@pytest.fixture(autouse=True)
def _nothing_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_OAUTH_ACCESS_TOKEN", "GOOGLE_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.delenv(name, raising=False)


def _config(cloud: RunningCloud, **more: str) -> dict[str, str]:
    google = cloud.google_endpoint
    return {
        "gcp:dnsCustomEndpoint": f"{google}/dns/v1/",
        "gcp:iamBetaCustomEndpoint": f"{google}/iam/v1/",
        "gcp:resourceManagerCustomEndpoint": f"{google}/cloudresourcemanager/v1/",
        **more,
    }


def _said(config: dict[str, str]) -> str:
    account = f"projects/{PROJECT}/serviceAccounts/nobody@{PROJECT}.iam.gserviceaccount.com"
    with pytest.raises(GoogleApiError) as refused:
        list(Project(config, PROJECT).things(zones=[], accounts=[account]))
    return str(refused.value)


@pytest.mark.parametrize(
    ("in_stack", "in_environment", "named", "way_out"),
    [
        (_TOKEN, {}, "gcp:accessToken", "pulumi config set --secret gcp:accessToken"),
        (
            {},
            {"GOOGLE_OAUTH_ACCESS_TOKEN": "ya29.example"},
            "GOOGLE_OAUTH_ACCESS_TOKEN",
            "export GOOGLE_OAUTH",
        ),
    ],
    ids=["stack", "environment"],
)
def test_a_token_that_has_run_out(
    cloud: RunningCloud,
    monkeypatch: pytest.MonkeyPatch,
    in_stack: dict[str, str],
    in_environment: dict[str, str],
    named: str,
    way_out: str,
) -> None:
    for name, value in in_environment.items():
        monkeypatch.setenv(name, value)
    cloud.fault("status", method="GET", path="/managedZones$", status=401, code="authError", message="Who?")
    said = _said(_config(cloud, **in_stack))
    assert said.startswith(f"Google does not accept the access token of {named}: it is wrong, was withdrawn")
    assert way_out in said
    assert said.endswith("Google's words: Who?")
    assert "ya29" not in said


@pytest.mark.parametrize(
    ("method", "path", "role", "api"),
    [
        ("GET", "/managedZones$", "roles/dns.admin", "dns.googleapis.com"),
        ("GET", "/serviceAccounts/", "roles/iam.serviceAccountAdmin", "iam.googleapis.com"),
        (
            "POST",
            ":getIamPolicy$",
            "roles/resourcemanager.projectIamAdmin",
            "cloudresourcemanager.googleapis.com",
        ),
    ],
)
def test_credentials_that_may_not(cloud: RunningCloud, method: str, path: str, role: str, api: str) -> None:
    cloud.fault("status", method=method, path=path, status=403, code="forbidden", message="No.")
    said = _said(_config(cloud, **_TOKEN))
    assert said.startswith(
        f"the access token of gcp:accessToken may not do this in the Google project "
        f"{PROJECT}. It needs {role}"
    )
    assert f"gcloud services enable {api} --project {PROJECT}" in said
    assert said.endswith("Google's words: No.")


class _TokenServer(BaseHTTPRequestHandler):
    """Google's own, where a key is exchanged for a token: it does not know the key."""

    def do_POST(self) -> None:
        body = json.dumps({"error": "invalid_grant", "error_description": "Invalid JWT Signature."}).encode()
        self.send_response(400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nowhere."""


@pytest.fixture
def key_file(tmp_path: Path) -> Iterator[Path]:
    """A service account's key that Google's token server refuses."""
    server = HTTPServer(("127.0.0.1", 0), _TokenServer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path / "key.json"
    key = {
        "type": "service_account",
        "project_id": PROJECT,
        "private_key_id": "1",
        "private_key": private.decode(),
        "client_email": f"raya@{PROJECT}.iam.gserviceaccount.com",
        "token_uri": f"http://127.0.0.1:{server.server_port}/token",
    }
    file.write_text(json.dumps(key))
    yield file
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_key_that_was_deleted(cloud: RunningCloud, key_file: Path) -> None:
    said = _said(_config(cloud, **{"gcp:credentials": key_file.read_text()}))
    assert said.startswith("Google does not accept the key of gcp:credentials: it is wrong, was withdrawn")
    assert "pulumi config set --secret gcp:credentials < key.json" in said
    assert said.endswith("Google's words: invalid_grant: Invalid JWT Signature.")


@pytest.mark.parametrize("given", ["{", '{"type": "gdch"}', "/no/such/key.json"])
def test_what_is_no_key(cloud: RunningCloud, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("GOOGLE_CREDENTIALS", given)
    assert _said(_config(cloud)).startswith("GOOGLE_CREDENTIALS holds no usable credentials: ")
