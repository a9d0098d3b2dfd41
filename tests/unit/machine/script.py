"""Runs a machine's script with other folders and stub programs, and kills it at any command."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests import machines

# Bash runs this before a script that is not interactive: count the commands, and die at a given one.
_KILL = "set -o functrace\ntrap '((++raya_count == RAYA_KILL_AT)) && kill -9 $$' DEBUG\n"


def run(
    name: str,
    role: str,
    environment: Mapping[str, str],
    *,
    stubs: Path | None = None,
    kill_at: int | None = None,
    folder: Path | None = None,
    timeout_s: float = 30,
) -> subprocess.CompletedProcess[str]:
    """Run one script of the overlay.

    `stubs`: a folder of programs that come first on PATH. `kill_at`: at which command it is killed, from
    1 on; `folder` is where that is prepared.
    """
    path = os.environ["PATH"] if stubs is None else f"{stubs}:{os.environ['PATH']}"
    variables = {"PATH": path, **environment}
    if kill_at is not None:
        assert folder is not None
        (folder / "kill.bash").write_text(_KILL)
        variables |= {"BASH_ENV": str(folder / "kill.bash"), "RAYA_KILL_AT": str(kill_at)}
    script = machines.OVERLAY / role / "usr/local/bin" / name
    return subprocess.run(
        ["bash", script], env=variables, capture_output=True, text=True, timeout=timeout_s, check=False
    )


def stub(folder: Path, name: str, body: str) -> None:
    """Write a stub program."""
    (folder / name).write_text(f"#!/bin/bash\n{body}\n")
    (folder / name).chmod(0o755)
