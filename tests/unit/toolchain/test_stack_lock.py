"""Whose lock a local stack carries: an engine's that works, or a killed one's."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.toolchain.machine import ROOT

HELD, LEFT = 3, 4
HERE = socket.gethostname()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[int]:
    """The pid of a living process whose program is called pulumi."""
    program = tmp_path / "engine/pulumi"
    program.parent.mkdir()
    shutil.copy2(shutil.which("sleep") or "/bin/sleep", program)
    process = subprocess.Popen([program, "60"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.fixture
def gone() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def free(
    folder: Path,
    *locks: str,
    project: str = "raya",
    stack: str = "local",
    options: tuple[str, ...] = (),
) -> tuple[int, str, list[str]]:
    """Exit status, what it said and which of these lock files, numbered from 0, are still on the stack."""
    place = folder / "state/.pulumi/locks/organization" / project / stack
    place.mkdir(parents=True)
    for number, text in enumerate(locks):
        (place / f"{number}.json").write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "toolchain.stack_lock", *options, str(folder / "state"), "local"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr, sorted(file.stem for file in place.iterdir())


def lock(pid: int, host: str = HERE) -> str:
    return json.dumps(
        {"pid": pid, "username": "alice", "hostname": host, "timestamp": "2026-01-01T00:00:00Z"}
    )


def test_no_lock(tmp_path: Path) -> None:
    assert free(tmp_path) == (0, "", [])


def test_another_stacks_lock_is_left_alone(tmp_path: Path, gone: int) -> None:
    assert free(tmp_path / "stack", lock(gone), stack="other") == (0, "", ["0"])
    assert free(tmp_path / "project", lock(gone), project="other") == (0, "", ["0"])


def test_a_working_engine_is_named(tmp_path: Path, engine: int, gone: int) -> None:
    status, said, left = free(tmp_path, lock(gone), lock(engine))
    assert (status, left) == (HELD, ["0", "1"])
    assert f"an engine works on it (pid {engine})" in said


def test_an_engine_on_another_host_cannot_be_judged(tmp_path: Path, gone: int) -> None:
    status, said, left = free(tmp_path, lock(gone, "elsewhere"))
    assert (status, left) == (HELD, ["0"])
    assert f"(pid {gone} on elsewhere)" in said
    assert "pulumi cancel --yes --stack local" in said


def test_a_killed_engines_lock_is_removed(tmp_path: Path, gone: int) -> None:
    status, said, left = free(tmp_path, lock(gone))
    assert (status, left) == (0, [])
    assert f"was locked by a run that was killed (pid {gone})" in said


def test_a_look_frees_nothing(tmp_path: Path, gone: int) -> None:
    status, said, left = free(tmp_path, lock(gone), options=("--look",))
    assert (status, left) == (LEFT, ["0"])
    assert said == f"The stack local is locked by a run that was killed (pid {gone}).\n"


def test_a_look_names_a_working_engine_and_finds_nothing_on_a_free_stack(tmp_path: Path, engine: int) -> None:
    assert free(tmp_path / "free", options=("--look",)) == (0, "", [])
    assert free(tmp_path / "held", lock(engine), options=("--look",))[0] == HELD


def test_a_pid_that_another_program_has_now_holds_nothing(tmp_path: Path) -> None:
    assert free(tmp_path, lock(os.getpid()))[2] == []


def test_a_half_written_lock_holds_nothing(tmp_path: Path) -> None:
    assert free(tmp_path, '{"pid": ')[2] == []
