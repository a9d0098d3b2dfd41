"""The datastore: a real etcd on loopback, and the way back to what was in it at a moment."""

from __future__ import annotations

import base64
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from tests.commands import LabError, end, start
from tests.kube.lab import ports
from tests.kube.lab.pki import LOOPBACK

PATIENCE_S = 120
_LOOK_EVERY_S = 0.1
# What the API server writes about itself all the time; it is no test's doing and stays as it is.
_OWN_BOOKKEEPING = ("/registry/leases/", "/registry/masterleases/", "/registry/events/")


class Datastore:
    """`folder` takes the data and the log."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "etcd.log"
        self._data = folder / "etcd"
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def start(self) -> None:
        client, peer = ports.free(2)
        self.url = f"http://{LOOPBACK}:{client}"
        peer_url = f"http://{LOOPBACK}:{peer}"
        with self.log.open("ab") as log:
            self._process = start(
                [
                    "etcd",
                    f"--data-dir={self._data}",
                    f"--listen-client-urls={self.url}",
                    f"--advertise-client-urls={self.url}",
                    f"--listen-peer-urls={peer_url}",
                    f"--initial-advertise-peer-urls={peer_url}",
                    f"--initial-cluster=default={peer_url}",
                ],
                log=log,
            )
        self._http = httpx.Client(base_url=self.url, timeout=30)
        self._wait()

    def stop(self) -> None:
        if self._process is not None:
            self._http.close()
            end(self._process)

    def contents(self) -> dict[bytes, bytes]:
        """Every key with its value, the API server's own bookkeeping left out."""
        answer = self._call("range", {"key": _base64(b"\0"), "range_end": _base64(b"\0")})
        found = {base64.b64decode(each["key"]): base64.b64decode(each["value"]) for each in answer["kvs"]}
        return {key: value for key, value in found.items() if not key.decode().startswith(_OWN_BOOKKEEPING)}

    def restore(self, contents: Mapping[bytes, bytes]) -> None:
        """Back to what `contents` returned once. Whoever watches sees what goes and what comes back."""
        now = self.contents()
        for key in now.keys() - contents.keys():
            self._call("deleterange", {"key": _base64(key)})
        for key, value in contents.items():
            if now.get(key) != value:
                self._call("put", {"key": _base64(key), "value": _base64(value)})

    def _call(self, method: str, body: Mapping[str, str]) -> dict[str, Any]:
        answer = self._http.post(f"/v3/kv/{method}", json=dict(body)).raise_for_status()
        return dict(answer.json())

    def _wait(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise LabError(f"etcd ended with {self._process.returncode}:\n{self.log.read_text()[-2000:]}")
            try:
                if self._http.get("/health").json()["health"] == "true":
                    return
            except (httpx.TransportError, ValueError, KeyError):
                pass
            time.sleep(_LOOK_EVERY_S)
        raise LabError(f"etcd did not answer within {PATIENCE_S} s:\n{self.log.read_text()[-2000:]}")


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
