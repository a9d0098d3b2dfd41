"""Ignition's own validator has nothing to say about any machine's config: not an error, and not a warning."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from raya import manifests
from raya.machine_config import NodeSpec
from rendering.ignition import compact, inner_config
from tests import machines

MANY = {f"raya-example-{number}.yaml": f"# {number}\nkind: List\n" for number in range(40)}
MACHINES = {
    "agent": machines.agent(),
    "control plane": machines.control_plane(),
    "control plane without a manifest": machines.control_plane(manifests={}),
    "control plane with the project's manifests": machines.control_plane(
        manifests=manifests.render(machines.manifest_values(), project_root=machines.PROJECT_ROOT)
    ),
    "control plane with many manifests": machines.control_plane(manifests=MANY),
}


def validate(config: str) -> tuple[int, str]:
    """The validator's status and everything it prints."""
    program = shutil.which("ignition-validate") or machines.PROJECT_ROOT / ".raya/bin/ignition-validate"
    assert Path(program).exists(), "ignition-validate is missing: run `make setup`"
    done = subprocess.run([program, "-"], input=config, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("spec", MACHINES.values(), ids=MACHINES.keys())
def test_the_config_that_takes_effect_is_valid(spec: NodeSpec) -> None:
    rendered = machines.render(spec)
    # The validator does not look into what a config is replaced by.
    assert validate(compact(inner_config(rendered.user_data))) == (0, "")
    assert validate(rendered.user_data) == (0, "")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"storage": {"files": [{"path": "not/absolute"}]}}, "path not absolute"),
        ({"storage": {"filse": []}}, "unused key filse"),
        (
            {"systemd": {"units": [{"name": "x.service", "enabled": True, "contents": "[Unit]\n"}]}},
            "no install section",
        ),
    ],
)
def test_what_is_wrong_would_be_said(change: dict[str, object], said: str) -> None:
    config = {"ignition": {"version": "3.5.0"}, **change}
    assert said in validate(json.dumps(config))[1]
