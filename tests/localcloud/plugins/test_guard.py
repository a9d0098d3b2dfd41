"""The stand-ins never serve a real stack: marker, loopback, token."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from localcloud.plugins.errors import InvalidInput, StandInError
from localcloud.plugins.gcp.provider import ENDPOINTS, Gcp
from localcloud.plugins.guard import loopback
from localcloud.plugins.hcloud.provider import Hcloud
from localcloud.plugins.install import install
from localcloud.plugins.versions import NAMES, sdk_version
from tests.localcloud.plugins.tables import PROJECT_ROOT

TOKEN = "t" * 64
LOCAL = "http://127.0.0.1:1/google/"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("marker", [None, "0", "yes"])
def test_starts_only_with_the_marker(name: str, marker: str | None) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "RAYA_LOCALCLOUD"}
    if marker is not None:
        environment["RAYA_LOCALCLOUD"] = marker
    ran = subprocess.run(
        [sys.executable, "-m", f"localcloud.plugins.{name}", "127.0.0.1:1"],
        cwd=PROJECT_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert "stand-in" in ran.stderr
    assert "must never serve a real stack" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:80/x", "https://localhost/v1", "http://[::1]:8/v1/", "http://127.9.9.9"]
)
def test_loopback_is_accepted(url: str) -> None:
    assert loopback(url, key="k") == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "https://api.hetzner.cloud/v1",
        "http://10.0.0.1/v1",
        "http://localhost.example.org/v1",
        "http://127.0.0.1.nip.io/",
        "http://user@example.org:80/127.0.0.1",
        "ftp://127.0.0.1/",
        "127.0.0.1:80",
        "http://0.0.0.0:80/",
    ],
)
def test_anything_else_is_refused(url: str | None) -> None:
    with pytest.raises(StandInError, match="hcloud:endpoint"):
        loopback(url, key="hcloud:endpoint")


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"token": TOKEN}, "endpoint"),
        ({"token": TOKEN, "endpoint": "https://api.hetzner.cloud/v1"}, "endpoint"),
        ({"token": "short", "endpoint": LOCAL}, "token"),
        ({"endpoint": LOCAL}, "token"),
        (
            {"token": TOKEN, "endpoint": LOCAL, "endpointHetzner": "https://api.hetzner.com"},
            "endpointHetzner",
        ),
        ({"token": TOKEN, "endpoint": LOCAL, "pollInterval": "often"}, "pollInterval"),
        ({"token": TOKEN, "endpoint": LOCAL, "pollFunction": "never"}, "pollFunction"),
    ],
)
def test_hcloud_settings(config: dict[str, str], key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HCLOUD_TOKEN", "HCLOUD_ENDPOINT", "HETZNER_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InvalidInput) as refused:
        Hcloud().check_settings(config)
    assert refused.value.property_path == key


def test_gcp_needs_every_endpoint_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GOOGLE_")]:
        monkeypatch.delenv(name)
    whole = {"accessToken": "t", **{key: LOCAL + end for key, end in ENDPOINTS.items()}}
    Gcp().check_settings(whole)
    refused = 0
    for key in ENDPOINTS:
        for bad in (None, "https://dns.googleapis.com/dns/v1/", LOCAL + "dns/v1"):
            broken = {**whole, key: bad} if bad else {k: v for k, v in whole.items() if k != key}
            with pytest.raises(InvalidInput) as error:
                Gcp().check_settings(broken)
            assert error.value.property_path == key
            refused += 1
    assert refused == 9
    with pytest.raises(InvalidInput, match="computeCustomEndpoint"):
        Gcp().check_settings({**whole, "computeCustomEndpoint": "https://compute.googleapis.com/compute/v1/"})
    with pytest.raises(InvalidInput, match="accessToken"):
        Gcp().check_settings({**whole, "accessToken": ""})


def test_install_is_idempotent_and_pairs_the_sdk(tmp_path: os.PathLike[str]) -> None:
    from pathlib import Path

    first, second = install(Path(tmp_path)), install(Path(tmp_path))
    assert first == second
    assert len(first) == len(NAMES) == 4
    for name, script in zip(NAMES, first, strict=True):
        assert script.parent.name == f"resource-{name}-v{sdk_version(name)}"
        assert os.access(script, os.X_OK)
        assert f"localcloud.plugins.{name}" in script.read_text()
