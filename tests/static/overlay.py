"""The overlay's units, role by role, for the tests that read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import machines
from toolchain import unit_files
from toolchain.unit_files import Unit

STARTS_K3S = {"control-plane": "k3s.service", "agent": "k3s-agent.service"}
SPECS = {"control-plane": machines.control_plane(), "agent": machines.agent()}
BOTH = pytest.mark.parametrize("role", SPECS)


def trees(role: str) -> list[Path]:
    return [machines.OVERLAY / "common", machines.OVERLAY / role]


def units(role: str) -> dict[str, Unit]:
    return unit_files.read(trees(role))
