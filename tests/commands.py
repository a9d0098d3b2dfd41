"""Running the labs' helpers: each ends with this process, and a failure shows what the command said."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

# util-linux: the kernel ends the command when this process is gone, however it went. Not preexec_fn: it may
# deadlock in a process with threads.
ENDS_WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")


class LabError(Exception):
    """The lab itself cannot go on: one sentence that says what is missing or what failed."""


def run(command: Sequence[str | Path], *, given: str | None = None, where: Path | None = None) -> str:
    """What `command` printed; LabError with its own words when it failed."""
    done = subprocess.run(
        [str(word) for word in command], input=given, capture_output=True, text=True, check=False, cwd=where
    )
    if done.returncode != 0:
        shown = " ".join(str(word) for word in command)
        raise LabError(
            f"`{shown}` ended with {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
        )
    return done.stdout


def start(
    command: Sequence[str | Path], *, log: IO[bytes] | int, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """`command` in the background, for as long as this process is there."""
    words = [*ENDS_WITH_US, *(str(word) for word in command)]
    more: dict[str, Any] = {} if environment is None else {"env": dict(environment)}
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **more)


def end(process: subprocess.Popen[bytes], *, patience_s: float = 5) -> None:
    """Ends a process that `start` made, politely first."""
    process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def require_programs(packages: Path, lab: str) -> None:
    """LabError that names the packages to install when a program of the list `packages` is missing."""
    lines = packages.read_text().splitlines()
    needed = dict(line.split() for line in lines if not line.startswith("#"))
    missing = sorted({package for program, package in needed.items() if not shutil.which(program)})
    if missing:
        raise LabError(f"{lab} needs more of Debian: apt-get install {' '.join(missing)}")
