"""How much memory a program takes at its peak, as the kernel counts it."""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

_PROGRAM = b"pulumi-language-python-exec"
_PAUSE_S = 0.05
_TIMEOUT_S = 300


def peak_mib(command: list[str], folder: Path, environment: Mapping[str, str]) -> float:
    """Runs a pulumi command in a project's folder; MiB of the process that runs the project's program.

    The figure of Linux is a high-water mark, so looking at it now and then misses next to nothing.
    """
    peak_kib = 0
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        for _ in range(int(_TIMEOUT_S / _PAUSE_S)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_PAUSE_S)
                break
            peak_kib = max([peak_kib, *(_peak_kib(each, folder) for each in Path("/proc").glob("[0-9]*"))])
        else:
            process.kill()
    if process.returncode != 0 or not peak_kib:
        raise AssertionError(f"{' '.join(command)} ended with {process.returncode} in {folder}")
    return round(peak_kib / 1024, 1)


def _peak_kib(process: Path, folder: Path) -> int:
    with contextlib.suppress(OSError):
        command = (process / "cmdline").read_bytes()
        if _PROGRAM in command and str(folder).encode() in command:
            found = re.search(r"VmHWM:\s+(\d+) kB", (process / "status").read_text())
            return int(found[1]) if found else 0
    return 0
