"""A folder that stands for a machine, with the stand-in for k3s running in it on loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from tests.commands import ENDS_WITH_US

SECRET = "join-secret"
# Bounds what never happens; what does happen is seen at once.
PATIENCE_S = 60
# By how much the stand-in's periods are shortened: 15 seconds between two looks at the manifests become 0.3.
HASTE = 50
Found = TypeVar("Found")


def until(found: Callable[[], Found | None], what: str) -> Found:
    """What `found` gives once it gives something; AssertionError when that never happens."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        result = found()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"it never happened: {what}")


class Machine:
    """A server keeps the port that it got at its first start.

    `config` is /etc/rancher/k3s/config.yaml, which is left alone when that is empty; `password` is what the
    node claims its name with.
    """

    def __init__(self, program: Path, root: Path, config: Mapping[str, Any], *, password: str = "") -> None:
        self.program = program
        self.root = root
        self.port = 0
        self.config = dict(config)
        self.data = root / "var/lib/rancher/k3s"
        self.server = self.data / "server"
        self.manifests = self.server / "manifests"
        self._process: subprocess.Popen[bytes] | None = None
        self._log = root / "k3s.log"
        self.write("etc/rancher/node/password", password or f"password of {root.name}")

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, "STAND_IN_ROOT": str(self.root), "STAND_IN_HASTE": str(HASTE), **more}

    def start(self, role: str, *arguments: str, **environment: str) -> None:
        """Starts `k3s server` or `k3s agent`; the log begins anew."""
        if self.config:
            self.write("etc/rancher/k3s/config.yaml", yaml.safe_dump(self.config))
        port = [f"--https-listen-port={self.port}"] if role == "server" else []
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*ENDS_WITH_US, self.program, role, *port, *arguments],
                env=self.environment(**environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def serve(self, *arguments: str, **environment: str) -> None:
        """A server that answers, at the same port each time."""
        self.start("server", *arguments, **environment)
        self.wait_for_log("k3s is up and running")
        found = re.search(r"--secure-port=(\d+)", self.log)
        assert found is not None
        self.port = int(found.group(1))

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What k3s said since it was started last, quoted as it stands in a line."""
        return self._log.read_text().replace('\\"', '"')

    def wait_for_log(self, text: str, *, times: int = 1) -> None:
        until(lambda: self.log.count(text) >= times, f"{text!r} in the log of {self.root.name}")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def status(self) -> int:
        """How it ended by itself."""
        assert self._process is not None
        return self._process.wait(PATIENCE_S)

    def stop(self) -> int:
        """How it ended when it was asked to."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.is_running:
            self.stop()

    def kubectl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, "kubectl", *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def items(self, resource: str) -> dict[str, Any]:
        """Name -> item."""
        done = self.kubectl("get", resource, "-o", "json")
        assert done.returncode == 0, done.stderr
        return {item["metadata"]["name"]: item for item in json.loads(done.stdout)["items"]}

    def node(self, name: str) -> Any:
        """The node once it is there."""
        return until(lambda: self.items("nodes").get(name), f"node {name} is registered")

    def wait_for_ready(self, name: str) -> None:
        until(lambda: name in self.items("nodes") and self.is_ready(name), f"{name} is Ready")

    def is_ready(self, name: str) -> bool:
        conditions = self.items("nodes")[name]["status"]["conditions"]
        return [condition["status"] for condition in conditions if condition["type"] == "Ready"] == ["True"]

    def cluster_id(self) -> str:
        return str(self.items("namespaces")["kube-system"]["metadata"]["uid"])
