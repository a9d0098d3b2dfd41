"""`make env`: what a shell gets for the local stack, and that no other stack ever meets its stand-ins."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.toolchain.machine import ROOT

SHELLS = ("sh", "bash")
SHOWN = ("RAYA_LOCALCLOUD", "PULUMI_HOME", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE")


@pytest.fixture(params=["plain", "it's a folder"])
def checkout(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path / str(request.param)
    (folder / "toolchain").mkdir(parents=True)
    for script in ("stack_env.sh", "in_local_cloud.sh"):
        shutil.copy2(ROOT / "toolchain" / script, folder / "toolchain")
    return folder


def environment(checkout: Path, shell: str, *stacks: str, **before: str) -> dict[str, str]:
    """The environment of a shell that evaluated the lines of these stacks, one after the other."""
    evals = "\n".join(f'eval "$("$SCRIPT" {stack})"' for stack in stacks)
    answer = subprocess.run(
        [shell, "-euc", f"{evals}\nenv -0"],
        env={"PATH": os.environ["PATH"], "SCRIPT": str(checkout / "toolchain/stack_env.sh"), **before},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(line.split("=", 1) for line in answer.stdout.split("\0") if line)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_local_stack(checkout: Path, shell: str) -> None:
    found = environment(checkout, shell, "local")
    assert {name: found[name] for name in SHOWN} == {
        "RAYA_LOCALCLOUD": "1",
        "PULUMI_HOME": f"{checkout}/.raya/local/pulumi-home",
        "PULUMI_BACKEND_URL": f"file://{checkout}/.raya/local/state",
        "PULUMI_CONFIG_PASSPHRASE": "local",
    }
    assert found["PATH"].startswith(f"{checkout}/.venv/bin:{checkout}/.raya/bin:")


def test_official_plugins_get_a_home_without_stand_ins_and_no_marker(checkout: Path) -> None:
    found = environment(checkout, "bash", "local", "local official")
    assert "RAYA_LOCALCLOUD" not in found
    assert found["PULUMI_HOME"] == f"{checkout}/.raya/local/pulumi-home-official"
    assert found["PULUMI_BACKEND_URL"] == f"file://{checkout}/.raya/local/state"


def test_a_stack_whose_file_names_this_machine_is_one_of_the_local_cloud(checkout: Path) -> None:
    for line in (
        "hcloud:endpoint: http://127.0.0.1:18470/hcloud/v1",
        "'hcloud:endpoint': 'http://127.0.0.1:1/hcloud/v1'",
        '"hcloud:endpoint": "http://127.0.0.1:1/hcloud/v1"',
    ):
        (checkout / "Pulumi.second.yaml").write_text(f"config:\n  {line}\n")
        assert environment(checkout, "bash", "second") == environment(checkout, "bash", "local")


@pytest.mark.parametrize(
    "line",
    [
        "# hcloud:endpoint: http://127.0.0.1:18470/hcloud/v1",
        "hcloud:endpoint: https://api.hetzner.cloud/v1",
        "hcloud:endpoint: http://127.0.0.1.example.org:80/v1",
        "raya:endpoint: http://127.0.0.1:18470/hcloud/v1",
        "hcloud:endpointHetzner: http://127.0.0.1:18470/hcloud/v1",
    ],
)
def test_a_stack_whose_file_names_another_cloud_is_none(checkout: Path, line: str) -> None:
    (checkout / "Pulumi.prod.yaml").write_text(f"config:\n  {line}\n")
    assert not set(SHOWN) & set(environment(checkout, "bash", "local", "prod"))


@pytest.mark.parametrize("shell", SHELLS)
def test_another_stack_gets_the_path_only(checkout: Path, shell: str) -> None:
    found = environment(checkout, shell, "prod")
    assert not set(SHOWN) & set(found)
    assert found["PATH"].startswith(f"{checkout}/.venv/bin:{checkout}/.raya/bin:")


@pytest.mark.parametrize("shell", SHELLS)
def test_another_stack_after_the_local_one_forgets_it(checkout: Path, shell: str) -> None:
    assert not set(SHOWN) & set(environment(checkout, shell, "local", "prod"))


def test_another_stack_keeps_what_is_the_users_own(checkout: Path) -> None:
    own = {"PULUMI_HOME": "/h", "PULUMI_BACKEND_URL": "gs://b", "PULUMI_CONFIG_PASSPHRASE": "p"}
    found = environment(checkout, "bash", "prod", **own)
    assert {name: found[name] for name in own} == own
