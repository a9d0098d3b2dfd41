"""A tool that the machine has is used when it is new enough and complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.toolchain.machine import Machine
from toolchain import installed
from toolchain.recipes import TOOLS, Tool

PULUMI = next(tool for tool in TOOLS if tool.name == "pulumi")
BUTANE = next(tool for tool in TOOLS if tool.name == "butane")


@pytest.mark.parametrize(
    "said",
    ["Butane v0.24.0", "Butane v0.24.1", "butane 0.25.0-dev", "Butane 1.0.0", BUTANE.version],
    ids=["pinned", "patch", "development", "major", "bare"],
)
def test_a_tool_as_new_as_the_pin_is_used(machine: Machine, said: str) -> None:
    place = machine.install_saying("butane", f"'{said}'")
    assert installed.find(BUTANE, machine.environment) == {"butane": place}


@pytest.mark.parametrize(
    "script",
    [
        "#!/bin/sh\necho Butane v0.23.9\n",
        "#!/bin/sh\necho Butane v0.9.0\n",
        "#!/bin/sh\necho Butane was not built properly\n",
        "#!/bin/sh\necho Butane v0.24.0\nexit 1\n",
        "not a program",
    ],
    ids=["older", "older-by-number-not-by-text", "no-version", "fails", "not-executable-format"],
)
def test_a_tool_that_is_older_or_says_nothing_is_not_used(machine: Machine, script: str) -> None:
    machine.install("butane", script)
    assert installed.find(BUTANE, machine.environment) is None


def test_an_old_tool_does_not_hide_a_newer_one_behind_it(machine: Machine) -> None:
    machine.install_saying("butane", "v0.1.0")
    newer = machine.install_saying("butane", "v0.30.0", folder="later")
    environment = {**machine.environment, "PATH": f"{machine.folder}/bin:{machine.folder}/later"}
    assert installed.find(BUTANE, environment) == {"butane": newer}


def test_pulumi_without_its_language_host_is_not_used(machine: Machine) -> None:
    machine.install_saying("pulumi", "v99.0.0")
    assert installed.find(PULUMI, machine.environment) is None


def test_the_language_host_beside_pulumi_is_taken(machine: Machine) -> None:
    pulumi = machine.install_saying("pulumi", "v99.0.0")
    host = machine.install_saying("pulumi-language-python", "host")
    assert installed.find(PULUMI, machine.environment) == {"pulumi": pulumi, "pulumi-language-python": host}


def test_the_language_host_is_found_where_a_link_to_pulumi_leads(machine: Machine) -> None:
    real = machine.install_saying("pulumi", "v99.0.0", folder="opt/pulumi")
    host = machine.install_saying("pulumi-language-python", "host", folder="opt/pulumi")
    link = machine.folder / "bin/pulumi"
    link.symlink_to(real)
    assert installed.find(PULUMI, machine.environment) == {"pulumi": link, "pulumi-language-python": host}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_setup_linked_into_a_checkout_is_not_taken_for_the_machines_own(
    machine: Machine, tool: Tool, tmp_path: Path
) -> None:
    for binary in tool.binaries:
        machine.install_saying(binary.name, "v99.0.0", folder="checkout/.raya/bin")
    environment = {**machine.environment, "PATH": str(tmp_path / "checkout/.raya/bin")}
    assert installed.find(tool, environment) is None
