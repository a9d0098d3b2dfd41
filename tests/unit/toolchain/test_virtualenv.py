"""The .venv is made once, and again when what it was made from changed or its making was interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.toolchain.machine import Machine


@pytest.fixture
def ready(machine: Machine) -> Machine:
    machine.install_new_tools()
    status, output = machine.setup()
    assert status == 0, output
    assert (machine.checkout / ".venv/bin/python").exists()
    (machine.checkout / ".venv/marker").touch()
    return machine


def kept(machine: Machine) -> bool:
    return (machine.checkout / ".venv/marker").exists()


def test_it_is_kept_while_nothing_changed(ready: Machine) -> None:
    assert ready.setup() == (0, "")
    assert kept(ready)


def test_changed_requirements_make_it_anew(ready: Machine) -> None:
    (ready.checkout / "requirements-dev.txt").write_text("# none either\n")
    assert ready.setup()[0] == 0
    assert not kept(ready)


def test_an_interrupted_one_is_made_anew(ready: Machine) -> None:
    (ready.checkout / ".venv/.raya-complete").unlink()
    assert ready.setup()[0] == 0
    assert not kept(ready)


def test_a_requirement_without_a_hash_is_refused(ready: Machine, tmp_path: Path) -> None:
    (ready.checkout / "requirements-dev.txt").write_text("raya-has-no-such-package==1.0\n")
    status, output = ready.setup()
    assert status == 1
    assert "pip could not install requirements-dev.txt" in output
    assert "--require-hashes" in output
    assert not (ready.checkout / ".venv/.raya-complete").exists()
