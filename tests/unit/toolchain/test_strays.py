"""What `make down` finds in the local cloud although the stack is gone: the local stack's things only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx

from tests.cloud import TOKEN, RunningCloud, running_cloud
from tests.unit.toolchain.machine import ROOT


def _make_network(cloud: RunningCloud, name: str, cluster: str) -> None:
    body = {"name": name, "ip_range": "10.0.0.0/16", "labels": {"cluster": cluster}}
    headers = {"Authorization": f"Bearer {TOKEN}"}
    httpx.post(f"{cloud.hcloud_endpoint}/networks", json=body, headers=headers).raise_for_status()


def _strays(cloud: RunningCloud) -> tuple[int, str]:
    port = cloud.base_url.rsplit(":", 1)[1]
    command = [sys.executable, "-m", "toolchain.strays", port]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def test_another_clusters_things_are_none(tmp_path: Path) -> None:
    with running_cloud(tmp_path, seed={}) as cloud:
        _make_network(cloud, "second-net", "second")
        assert _strays(cloud) == (0, "")
        _make_network(cloud, "local-net", "local")
        status, said = _strays(cloud)
        assert status == 1
        assert "\n  network local-net\n" in said
        assert "second" not in said
