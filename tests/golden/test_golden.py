"""What a machine is told, whole: the rendered Butane, what Ignition will write, and the manifests."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from raya import machine_config, manifests
from raya.machine_config import NodeSpec
from rendering import ignition
from tests import machines

GOLDEN = Path(__file__).parent
SPECS = {spec.role: spec for spec in (machines.control_plane(), machines.agent())}


def matches(name: str, text: str, config: pytest.Config) -> None:
    file = GOLDEN / name
    if config.getoption("--update-goldens", default=False):
        file.write_text(text, encoding="utf-8")
    assert file.exists(), f"{name} does not exist: run this with --update-goldens and commit it"
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_butane(spec: NodeSpec, pytestconfig: pytest.Config) -> None:
    config = machine_config.render(spec, project_root=machines.PROJECT_ROOT)
    matches(f"{spec.role}.bu", config.butane, pytestconfig)


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_what_ignition_makes(spec: NodeSpec, pytestconfig: pytest.Config) -> None:
    config = machine_config.render(spec, project_root=machines.PROJECT_ROOT)
    entries = ignition.decode(config.user_data)
    assert len(entries) > 20
    rows = [
        "|".join(
            (
                entry.path,
                "-" if entry.mode is None else f"{entry.mode:04o}",
                hashlib.sha256(entry.contents).hexdigest() if entry.contents else "-",
            )
        )
        for entry in entries
    ]
    matches(f"{spec.role}.entries", "path|mode|sha256\n" + "\n".join(rows) + "\n", pytestconfig)


def test_manifests(pytestconfig: pytest.Config) -> None:
    rendered = manifests.render(machines.manifest_values(), project_root=machines.PROJECT_ROOT)
    for name, text in rendered.items():
        matches(f"manifests/{name}", text, pytestconfig)
    assert {file.name for file in (GOLDEN / "manifests").iterdir()} == set(rendered)


def test_there_is_no_golden_file_without_its_test() -> None:
    names = {file.name for file in GOLDEN.iterdir() if file.suffix in {".bu", ".entries"}}
    assert names == {f"{role}.{suffix}" for role in SPECS for suffix in ("bu", "entries")}
