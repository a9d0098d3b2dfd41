"""A local cloud of one's own: a real server process on a free port, with its state in a folder."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import signal
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from tests.commands import ENDS_WITH_US

PROJECT_ROOT = Path(__file__).parents[1]
TOKEN = "t" * 64
PROJECT = "raya-local"
_LISTENING = "localcloud listening on "


class RunningCloud:
    """A running local cloud. Its objects are read as the vendors' APIs show them."""

    base_url: str

    def __init__(self, folder: Path, *, seed: Path | None, pins: Path | None, port: int = 0) -> None:
        self.folder = folder
        self._options = [*(["--seed", str(seed)] if seed else []), *(["--pins", str(pins)] if pins else [])]
        self._port = port
        self._start()

    @property
    def hcloud_endpoint(self) -> str:
        return f"{self.base_url}/hcloud/v1"

    @property
    def google_endpoint(self) -> str:
        """Below it lie dns/v1, iam/v1 and cloudresourcemanager/v1."""
        return f"{self.base_url}/google"

    @property
    def github_endpoint(self) -> str:
        return f"{self.base_url}/github"

    @property
    def pid(self) -> int:
        """The server's process: setpriv has become it."""
        return self._process.pid

    @property
    def log(self) -> str:
        """What the server printed."""
        return (self.folder / "cloud.log").read_text()

    def _start(self) -> None:
        command = [*ENDS_WITH_US, sys.executable, "-m", "localcloud", "serve", "--port", str(self._port)]
        with (self.folder / "cloud.log").open("a") as log:
            self._process = subprocess.Popen(
                [*command, "--state", str(self.folder / "cloud.sqlite"), *self._options],
                cwd=PROJECT_ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith(_LISTENING):
            self.stop()
            raise AssertionError(f"the local cloud did not start: {line}{self.log}")
        self.base_url = line.removeprefix(_LISTENING).strip()
        self._port = int(self.base_url.rsplit(":", 1)[1])
        self._http = httpx.Client(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30)

    def stop(self, *, kill: bool = False) -> int:
        """End the server (SIGTERM, or SIGKILL) and return its exit status."""
        with contextlib.suppress(AttributeError):
            self._http.close()
        self._process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        status = self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return status

    def restart(self, *, kill: bool = False) -> None:
        """Stop and start on the same port with the same state."""
        self.stop(kill=kill)
        self._start()

    # -- control --

    def control(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """`/_control/<path>`: its JSON answer."""
        answer = self._http.request(method, f"{self.base_url}/_control/{path}", json=body)
        answer.raise_for_status()
        return answer.json()

    def events(self) -> list[dict[str, Any]]:
        """What happened, in order: {seq, at, event, subject, text, ...}."""
        return list(self.control("GET", "events")["events"])

    def requests(self) -> list[dict[str, Any]]:
        """The requests, in order: {seq, at, method, path, query, route, status, code, milliseconds}."""
        return list(self.control("GET", "requests")["requests"])

    def seed(self, seed: Mapping[str, Any]) -> None:
        self.control("POST", "seed", seed)

    def reset(self) -> None:
        """Back to what the server started with."""
        self.control("POST", "reset")

    def settings(self, **values: Any) -> None:
        self.control("POST", "settings", values)

    def fault(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Put a fault into the table; localcloud/faults.py has the kinds and fields."""
        return dict(self.control("POST", "faults", {"kind": kind, **fields}))

    def clear_faults(self) -> None:
        self.control("DELETE", "faults")

    def advance(self, seconds: float) -> None:
        self.control("POST", "clock", {"advanceSeconds": seconds})

    # -- Hetzner --

    def hetzner(self, plural: str) -> list[dict[str, Any]]:
        """All objects of a kind ("servers"), as the API shows them."""
        found: list[dict[str, Any]] = []
        page: int | None = 1
        while page is not None:
            query = {"page": page, "per_page": 50}
            answer = (
                self._http.get(f"{self.hcloud_endpoint}/{plural}", params=query).raise_for_status().json()
            )
            found += answer[plural]
            page = answer["meta"]["pagination"]["next_page"]
        return found

    def pricing(self) -> dict[str, Any]:
        answer = self._http.get(f"{self.hcloud_endpoint}/pricing").raise_for_status()
        return dict(answer.json()["pricing"])

    def create_volume(
        self, name: str, *, size_gb: int, labels: Mapping[str, str], location: str = "hel1"
    ) -> dict[str, Any]:
        body = {"name": name, "size": size_gb, "labels": dict(labels), "location": location}
        answer = self._http.post(f"{self.hcloud_endpoint}/volumes", json=body).raise_for_status()
        return dict(answer.json()["volume"])

    def delete_image(self, image_id: int) -> None:
        self._http.delete(f"{self.hcloud_endpoint}/images/{image_id}").raise_for_status()

    def delete_server(self, name: str) -> None:
        """By hand, as in the console."""
        (server,) = [each for each in self.hetzner("servers") if each["name"] == name]
        self._http.delete(f"{self.hcloud_endpoint}/servers/{server['id']}").raise_for_status()

    def user_data(self, server: str) -> str:
        """What the metadata service would give the server of this name."""
        return self._http.get(f"{self.base_url}/_control/user-data/{server}").raise_for_status().text

    def ignition_text(self, server: str) -> str:
        """A server's user data with every data URL in it decoded, compressed and nested ones too."""
        return _decoded(json.loads(self.user_data(server)))

    # -- Google --

    def zones(self, project: str = PROJECT) -> list[dict[str, Any]]:
        """The managed zones of a project."""
        answer = self._http.get(f"{self.google_endpoint}/dns/v1/projects/{project}/managedZones")
        return list(answer.raise_for_status().json()["managedZones"])

    def _zone_url(self, dns_name: str, project: str) -> str:
        (name,) = [zone["name"] for zone in self.zones(project) if zone["dnsName"] == dns_name]
        return f"{self.google_endpoint}/dns/v1/projects/{project}/managedZones/{name}"

    def records(self, dns_name: str, project: str = PROJECT) -> list[dict[str, Any]]:
        """The record sets of the one zone with this DNS name ("example.org.")."""
        query = {"maxResults": 1000}
        answer = self._http.get(f"{self._zone_url(dns_name, project)}/rrsets", params=query)
        return list(answer.raise_for_status().json()["rrsets"])

    def add_record(self, dns_name: str, name: str, kind: str, rrdatas: list[str], ttl: int = 300) -> None:
        """By hand, or as external-dns would."""
        body = {"name": name, "type": kind, "ttl": ttl, "rrdatas": rrdatas}
        self._http.post(f"{self._zone_url(dns_name, PROJECT)}/rrsets", json=body).raise_for_status()

    # -- GitHub --

    def keys(self, user: str) -> list[str]:
        """A user's public keys."""
        return self._http.get(f"{self.github_endpoint}/{user}.keys").raise_for_status().text.splitlines()

    def set_keys(self, user: str, keys: list[str]) -> None:
        self.seed({"users": {user: keys}})


@contextlib.contextmanager
def running_cloud(
    folder: Path, *, seed: Mapping[str, Any] | None = None, pins: Path | None = None
) -> Iterator[RunningCloud]:
    """A local cloud with its state in `folder`. `seed` replaces the default one, `pins` adds snapshots."""
    seed_file = None
    if seed is not None:
        seed_file = folder / "seed.json"
        seed_file.write_text(json.dumps(seed))
    cloud = RunningCloud(folder, seed=seed_file, pins=pins)
    try:
        yield cloud
    finally:
        cloud.stop()


def _decoded(value: Any) -> str:
    """The strings of a JSON value, one on a line; data URLs decoded, and looked into when they hold JSON."""
    if isinstance(value, Mapping):
        parts = [_decoded(part) for key, part in value.items() if key != "compression"]
        return "\n".join(part for part in parts if part)
    if isinstance(value, list):
        return "\n".join(_decoded(part) for part in value)
    if isinstance(value, str) and value.startswith("data:"):
        return _decoded_url(value)
    return str(value)


def _decoded_url(url: str) -> str:
    head, _, payload = url.partition(",")
    content = urllib.parse.unquote_to_bytes(payload)
    if head.endswith(";base64"):
        content = base64.b64decode(content)
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    text = content.decode(errors="replace")
    with contextlib.suppress(ValueError):
        inner = json.loads(text)
        if isinstance(inner, Mapping):
            return _decoded(inner)
    return text
