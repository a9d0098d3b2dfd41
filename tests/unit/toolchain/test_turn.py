"""One verb at a time, by a lock that a shell keeps and its children do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.unit.toolchain.machine import ROOT

SHELL = r"""
exec 9>>"$LOCK"
"$PYTHON" -m toolchain.turn 9 "$LOCK" "$$" "make up"
verb() { sleep 60 <&- >&- 2>&- & echo "$$ $!"; read -r _; }
verb 9>&-
"""


def shell(folder: Path) -> subprocess.Popen[str]:
    """A shell that takes the lock, starts a child, prints both pids and waits for a line."""
    return subprocess.Popen(
        ["bash", "-euc", SHELL],
        cwd=ROOT,
        env={**os.environ, "LOCK": str(folder / "a lock"), "PYTHON": sys.executable},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_second_is_refused_until_the_first_is_gone_and_no_child_keeps_the_lock(tmp_path: Path) -> None:
    children = []
    try:
        first = shell(tmp_path)
        assert first.stdout is not None
        pid, child = first.stdout.readline().split()
        children.append(int(child))

        second = shell(tmp_path)
        output, refusal = second.communicate(timeout=30)
        assert (second.returncode, output) == (1, "")
        assert refusal == f"make up: another make up runs in this checkout (pid {pid}): wait for it.\n", (
            "a sentence, no traceback"
        )

        first.kill()
        first.communicate(timeout=30)
        third = shell(tmp_path)
        assert third.stdout is not None
        children.append(int(third.stdout.readline().split()[1]))
        assert third.communicate("\n", timeout=30)[1] == ""
        assert third.returncode == 0
    finally:
        for each in children:
            os.kill(each, 9)
