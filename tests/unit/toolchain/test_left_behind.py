"""Which language hosts are ended: those of this checkout that no engine can need, and no others."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.toolchain.machine import ROOT

HOST = ".raya/bin/pulumi-language-python"
Start = Callable[..., "subprocess.Popen[str]"]


def _checkout(folder: Path) -> Path:
    """With the module, and the real language host."""
    (folder / "toolchain").mkdir(parents=True)
    shutil.copy2(ROOT / "toolchain/left_behind.py", folder / "toolchain")
    (folder / HOST).parent.mkdir(parents=True)
    (folder / HOST).symlink_to((ROOT / HOST).resolve())
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return _checkout(tmp_path / "a checkout")


@pytest.fixture
def dead_engine() -> str:
    """Its address."""
    with socket.create_server(("127.0.0.1", 0)) as engine:
        return f"127.0.0.1:{engine.getsockname()[1]}"


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a language host, and waits until it serves; ends it in the end."""
    with contextlib.ExitStack() as started:

        def run(*command: object) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            started.enter_context(process)
            started.callback(_kill_session, process.pid)
            assert process.stdout is not None
            assert process.stdout.readline().strip().isdigit(), "a language host first says its port"
            return process

        yield run


def _kill_session(session: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(session, signal.SIGKILL)


def _end_left_behind(checkout: Path) -> str:
    command = [sys.executable, "-m", "toolchain.left_behind"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout


def test_without_its_engine_it_is_ended_and_named(checkout: Path, dead_engine: str, start: Start) -> None:
    host = start(checkout / HOST, dead_engine)
    said = _end_left_behind(checkout)
    assert said == f"A killed run had left its language host behind (pid {host.pid}): ended it.\n"
    assert host.wait(10) != 0
    assert _end_left_behind(checkout) == ""


def test_while_its_engine_answers_it_stays(checkout: Path, start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as engine:
        host = start(checkout / HOST, f"127.0.0.1:{engine.getsockname()[1]}")
        assert _end_left_behind(checkout) == ""
        assert host.poll() is None


def test_an_engines_child_stays(checkout: Path, tmp_path: Path, dead_engine: str, start: Start) -> None:
    engine = tmp_path / "pulumi"
    shutil.copy2(shutil.which("bash") or "/bin/bash", engine)
    parent = start(engine, "-c", '"$0" "$1"; true', checkout / HOST, dead_engine)
    assert _end_left_behind(checkout) == ""
    assert parent.poll() is None


def test_another_checkouts_stays(checkout: Path, tmp_path: Path, dead_engine: str, start: Start) -> None:
    host = start(_checkout(tmp_path / "another") / HOST, dead_engine)
    assert _end_left_behind(checkout) == ""
    assert host.poll() is None
