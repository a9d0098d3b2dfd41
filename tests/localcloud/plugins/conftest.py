"""A local cloud and a small stack of every resource the stand-ins know."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from localcloud.plugins.install import install
from tests import pulumi_cli
from tests.cloud import TOKEN, RunningCloud, running_cloud
from tests.localcloud.plugins.tables import PROJECT_ROOT

TOOLS = PROJECT_ROOT / ".raya" / "bin"
PROGRAM = Path(__file__).parent / "program"
CANARY = "canary-Zq7"
SEED = {
    "projects": ["raya-local"],
    "zones": [{"project": "raya-local", "name": "example-org", "dnsName": "example.org."}],
    "snapshots": [{"labels": {"os": "fcos"}, "architecture": "x86"}],
}


@dataclass
class Stack:
    """One stack; every method runs the real `pulumi`."""

    folder: Path
    environment: dict[str, str]

    def pulumi(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return pulumi_cli.run(self.folder, self.environment, *arguments, check=check)

    def up(self, *arguments: str, check: bool = True) -> str:
        ran = self.pulumi("up", "--yes", "--skip-preview", *arguments, check=check)
        return ran.stdout + ran.stderr

    def state(self) -> dict[str, dict[str, Any]]:
        """`Type::name` -> the resource in the exported state."""
        resources = json.loads(self.pulumi("stack", "export").stdout)["deployment"].get("resources", [])
        return {_name(entry["urn"]): entry for entry in resources}

    def program(self, text: str) -> None:
        (self.folder / "__main__.py").write_text(text)


def _name(urn: str) -> str:
    kind, name = urn.split("::")[-2:]
    return f"{kind.rpartition(':')[2]}::{name}"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCloud]:
    with running_cloud(tmp_path_factory.mktemp("cloud"), seed=SEED) as running:
        yield running


@pytest.fixture(scope="module")
def stack(cloud: RunningCloud, tmp_path_factory: pytest.TempPathFactory) -> Stack:
    if shutil.which("pulumi", path=pulumi_cli.path()) is None:
        pytest.skip("pulumi is neither on PATH nor in .raya/bin: run make setup")
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("stack") / "program"
    shutil.copytree(PROGRAM, folder)
    install(home)
    made = Stack(folder, pulumi_cli.environment(home=home, backend=folder.parent))
    made.pulumi("stack", "init", "test")
    google = cloud.google_endpoint
    plain = {
        "hcloud:endpoint": cloud.hcloud_endpoint,
        "hcloud:pollInterval": "10ms",
        "gcp:project": "raya-local",
        "gcp:dnsCustomEndpoint": f"{google}/dns/v1/",
        "gcp:iamBetaCustomEndpoint": f"{google}/iam/v1/",
        "gcp:resourceManagerCustomEndpoint": f"{google}/cloudresourcemanager/v1/",
    }
    secret = {"hcloud:token": TOKEN, "gcp:accessToken": "local", "canary": CANARY}
    made.pulumi("config", "set-all", *_pairs("--plaintext", plain), *_pairs("--secret", secret))
    return made


def _pairs(flag: str, values: dict[str, str]) -> list[str]:
    return [part for key, value in values.items() for part in (flag, f"{key}={value}")]
