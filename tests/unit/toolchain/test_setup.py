"""`make setup` as a process: on machines with everything, nothing or something old, and killed in between."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.toolchain.machine import Machine
from toolchain.recipes import TOOLS, module_version

BINARIES = sum(len(tool.binaries) for tool in TOOLS if not tool.on_demand)


@pytest.fixture(autouse=True)
def _venv(machine: Machine) -> None:
    machine.pretend_venv()


def linked(machine: Machine, name: str) -> Path:
    return (machine.checkout / ".raya/bin" / name).readlink()


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"waited a minute for {what}"
        time.sleep(0.02)


def leftovers(machine: Machine) -> list[str]:
    return sorted(path.name for path in machine.cache.glob("*.partial-*"))


def test_what_is_missing_is_built_once_and_linked(machine: Machine) -> None:
    machine.install_go()
    status, output = machine.setup()
    assert status == 0, output
    assert machine.builds() == BINARIES
    assert "building pulumi 3." in output
    assert linked(machine, "pulumi").parent == linked(machine, "pulumi-language-python").parent
    assert (linked(machine, "pulumi").parent / "pulumi-language-python-exec").stat().st_mode & 0o111

    status, output = machine.setup()
    assert (status, output) == (0, ""), "a second setup does nothing and says nothing"
    assert machine.builds() == BINARIES


def test_a_second_checkout_takes_the_first_ones_tools(machine: Machine, tmp_path: Path) -> None:
    machine.install_go()
    machine.setup()
    shutil.rmtree(machine.checkout / ".raya")
    status, output = machine.setup()
    assert status == 0, output
    assert machine.builds() == BINARIES


def test_a_changed_checksum_file_builds_anew(machine: Machine) -> None:
    machine.install_go()
    machine.setup()
    sums = machine.checkout / "toolchain/butane/go.sum"
    sums.write_text(sums.read_text() + "example.org/x v1.0.0 h1:x\n")
    before = linked(machine, "butane")
    machine.setup()
    assert machine.builds() == BINARIES + 1
    assert linked(machine, "butane") != before


def test_newer_tools_on_path_need_no_go(machine: Machine) -> None:
    machine.install_new_tools()
    status, output = machine.setup()
    assert status == 0, output
    assert linked(machine, "butane") == machine.folder / "bin/butane"
    assert not machine.cache.exists()


def test_older_tools_and_no_go_is_one_sentence_that_says_what_to_install(machine: Machine) -> None:
    machine.install_saying("pulumi", "v3.1.0")
    machine.install_saying("pulumi-language-python", "host")
    status, output = machine.setup()
    assert status == 1
    assert len(output.splitlines()) == 1
    for part in ("pulumi 3.", "not on PATH", "get.pulumi.com", "Go 1.", "go.dev/dl", "make setup"):
        assert part in output


def test_go_that_is_too_old_is_named_with_its_version(machine: Machine) -> None:
    machine.install_go()
    status, output = machine.setup(FAKE_GO_VERSION="go1.19.8")
    assert status == 1
    assert f"{machine.folder}/bin/go is Go 1.19.8" in output
    assert "Traceback" not in output


def test_a_failed_build_shows_the_compilers_words_and_leaves_nothing(machine: Machine) -> None:
    machine.install_go()
    (machine.state / "fail").touch()
    status, output = machine.setup()
    assert status == 1
    assert "a compiler's complaint" in output
    assert leftovers(machine) == []
    assert not (machine.checkout / ".raya/bin/pulumi").exists()

    (machine.state / "fail").unlink()
    assert machine.setup()[0] == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_in_the_middle_of_a_build_leaves_no_half_tool(
    machine: Machine, number: signal.Signals
) -> None:
    machine.install_go()
    hold = machine.state / "hold"
    hold.touch()
    process = machine.start_setup()
    wait_until(lambda: machine.builds() == 1, "the first build to start")
    os.kill(process.pid, number)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert not (machine.checkout / ".raya/bin/pulumi").exists()
    assert [
        path for path in machine.cache.glob("pulumi-*") if path.is_dir() and ".partial-" not in path.name
    ] == []
    if number != signal.SIGKILL:
        assert leftovers(machine) == []

    hold.unlink()
    status, output = machine.setup()
    assert status == 0, output
    assert linked(machine, "pulumi").read_text().endswith("v9.9.9\n")
    assert leftovers(machine) == []


def test_two_setups_at_once_build_once(machine: Machine) -> None:
    machine.install_go()
    hold = machine.state / "hold"
    hold.touch()
    first = machine.start_setup()
    wait_until(lambda: machine.builds() == 1, "the first build to start")
    second = machine.start_setup()
    assert second.stdout is not None
    assert "waiting for another setup that builds pulumi" in second.stdout.readline()
    hold.unlink()
    for process in (first, second):
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output
    assert machine.builds() == BINARIES


def test_an_unknown_tool_is_refused_with_the_known_ones(machine: Machine) -> None:
    status, output = machine.setup("hammer")
    assert status == 1
    known = "butane, helm, ignition, ignition-validate, kube-apiserver, pulumi"
    assert f"there is no tool hammer: the tools are {known}." in output


def test_raya_cache_moves_the_cache(machine: Machine, tmp_path: Path) -> None:
    machine.install_go()
    machine.setup(RAYA_CACHE=str(tmp_path / "elsewhere"))
    assert linked(machine, "butane").is_relative_to(tmp_path / "elsewhere/toolchain")
    assert not machine.cache.exists()


def test_a_tool_on_demand_is_made_when_it_is_named(machine: Machine) -> None:
    machine.install_go()
    # Another build of it would relabel, so what is on PATH does not count.
    machine.install_saying("ignition", "Ignition v99.0.0")
    machine.install("cc", "#!/bin/sh\n")
    machine.setup()
    assert not (machine.checkout / ".raya/bin/ignition").exists()

    status, output = machine.setup("ignition")
    assert status == 0, output
    assert machine.builds() == BINARIES + 1
    assert linked(machine, "ignition").is_relative_to(machine.cache)
    assert "distro.selinuxRelabel=false" in (machine.state / "builds").read_text().splitlines()[-1]


def test_a_missing_header_is_one_sentence_that_names_its_package(machine: Machine) -> None:
    machine.install_go()
    machine.setup()
    machine.install("cc", "#!/bin/sh\necho fatal error: no such file >&2\nexit 1\n")
    status, output = machine.setup("ignition")
    assert status == 1
    assert len(output.splitlines()) == 1
    for part in ("building ignition 2.", "blkid/blkid.h", "cc does not find", "apt-get install libblkid-dev"):
        assert part in output
    assert machine.builds() == BINARIES


def test_a_missing_compiler_is_one_sentence_too(machine: Machine) -> None:
    machine.install_go()
    machine.setup()
    status, output = machine.setup("ignition", CC="no-such-compiler")
    assert status == 1
    assert "needs the C compiler no-such-compiler, which is not on PATH: install it" in output


def test_the_api_server_is_of_the_pinned_release_and_says_so(machine: Machine) -> None:
    machine.install_go()
    machine.install_new_tools()
    for name in ("kube-apiserver", "kubectl"):
        machine.install_saying(name, "Kubernetes v1.99.0")
    status, output = machine.setup("kube-apiserver")
    assert status == 0, output
    assert {linked(machine, name).parent.parent for name in ("kube-apiserver", "kubectl")} == {machine.cache}
    release = module_version("kubernetes", "k8s.io/kubernetes")
    builds = (machine.state / "builds").read_text().splitlines()
    assert len(builds) == 2
    assert all(f"-X k8s.io/component-base/version.gitVersion=v{release}" in build for build in builds)
