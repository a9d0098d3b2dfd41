"""Every Python package is pinned with hashes, from no named registry."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([a-z0-9][a-z0-9.-]*)==(\S+)( ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


def pins(name: str) -> dict[str, str]:
    """Package -> version; fails on any line that is neither a pin nor one of its hashes."""
    found: dict[str, str] = {}
    for line in (ROOT / name).read_text().splitlines():
        pin = PIN.match(line)
        if pin:
            found[pin.group(1)] = pin.group(2)
        else:
            assert HASH.match(line), f"{name}: {line}"
    return found


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_line_is_a_pin_or_a_hash(name: str) -> None:
    assert len(pins(name)) > 30


def test_the_program_and_the_tests_use_the_same_versions() -> None:
    program, tests = pins("requirements.txt"), pins("requirements-dev.txt")
    assert {package: tests.get(package) for package in program} == program


def test_what_pyproject_asks_for_is_what_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {"requirements.txt": project["dependencies"]}
    asked["requirements-dev.txt"] = project["optional-dependencies"]["dev"]
    for name, requirements in asked.items():
        for requirement in requirements:
            package, _, version = requirement.partition("==")
            assert pins(name).get(package) is not None, f"{name} lacks {package}: compile it anew"
            assert version in ("", pins(name)[package]), requirement
