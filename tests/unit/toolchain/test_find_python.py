"""Which Python makes the virtual environment."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

from tests.unit.toolchain.machine import BASE_PYTHON, ROOT, Machine

TOO_OLD = "#!/bin/sh\nexit 1\n"


def find_python(machine: Machine, **environment: str) -> subprocess.CompletedProcess[str]:
    # Only what the script itself needs is on PATH beside the machine's own programs.
    return subprocess.run(
        ["/bin/bash", ROOT / "toolchain/find_python.sh"],
        env={"PATH": str(machine.folder / "bin"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_python_that_cannot_run_or_is_old_is_passed_over(machine: Machine) -> None:
    machine.install("python3", TOO_OLD)
    machine.install("python3.13", "#!/bin/sh\necho 'no such version' >&2\nexit 127\n")
    (machine.folder / "bin/python3.12").symlink_to(BASE_PYTHON)
    assert Path(find_python(machine).stdout.strip()).resolve() == BASE_PYTHON.resolve()


def test_a_virtual_environment_on_path_leads_to_the_python_behind_it(
    machine: Machine, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=False)
    found = Path(find_python(machine, PATH=str(tmp_path / "venv/bin")).stdout.strip())
    assert not found.is_relative_to(tmp_path)


def test_one_can_be_named(machine: Machine) -> None:
    named = find_python(machine, RAYA_PYTHON=str(BASE_PYTHON))
    assert Path(named.stdout.strip()).resolve() == BASE_PYTHON.resolve()


def test_none_is_one_sentence(machine: Machine) -> None:
    machine.install("python3", TOO_OLD)
    answer = find_python(machine)
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert len(answer.stderr.splitlines()) == 1
    assert "Python 3.11 or newer" in answer.stderr
