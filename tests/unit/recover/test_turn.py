"""One recovery of a stack at a time in a checkout; a killed one holds nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from raya.recover.turn import AnotherRecoveryError, alone
from tests.cloud import PROJECT_ROOT

_HOLDER = """
import sys
from pathlib import Path
from raya.recover.turn import alone
with alone(Path(sys.argv[1]), sys.argv[2]):
    print("holds", flush=True)
    sys.stdin.read()
"""


@contextmanager
def _another(root: Path, stack: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has taken the stack's turn."""
    command = [sys.executable, "-c", _HOLDER, str(root), stack]
    holder = subprocess.Popen(
        command, cwd=PROJECT_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "holds\n"
    try:
        yield holder
    finally:
        holder.kill()
        holder.communicate()


def test_the_second_is_told_who_holds_it_until_the_first_is_killed(tmp_path: Path) -> None:
    with _another(tmp_path, "acme/prod") as holder:
        holds = rf"another recovery of acme/prod runs in this checkout \(pid {holder.pid}, begun at [\d:]+\)"
        with pytest.raises(AnotherRecoveryError, match=holds), alone(tmp_path, "acme/prod"):
            pass
        holder.kill()
        holder.communicate()
        with alone(tmp_path, "acme/prod"):
            pass


def test_other_stacks_and_other_checkouts_are_free(tmp_path: Path) -> None:
    with (
        _another(tmp_path, "prod"),
        alone(tmp_path, "acme/prod"),
        alone(tmp_path, "local"),
        alone(tmp_path / "another", "prod"),
    ):
        pass


def test_it_may_be_had_again_and_again(tmp_path: Path) -> None:
    for _ in range(2):
        with alone(tmp_path, "prod"):
            pass
