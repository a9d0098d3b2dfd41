"""The checkout's .venv: made from requirements-dev.txt, anew only when that file or the Python changed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from toolchain.cache import lock
from toolchain.recipes import ToolchainError

Say = Callable[[str], None]

# Hashes are asked for by name, so that a requirements file without them is refused; wheels only, because what
# a source package needs for its build is not pinned.
PIP_OPTIONS = (
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--require-hashes",
    "--only-binary",
    ":all:",
)


def ensure(root: Path, say: Say) -> Path:
    """Make `root`/.venv when it is missing or stale; ToolchainError carries the failing step's words."""
    venv = root / ".venv"
    (root / ".raya").mkdir(exist_ok=True)
    with lock(root / ".raya/venv.lock", lambda: say("waiting for another setup that makes .venv")):
        if not is_current(root):
            _make(root, venv, say)
    return venv


def is_current(root: Path) -> bool:
    """Whether `root`/.venv was completed from the present requirements with the present Python."""
    stamp = _stamp_file(root)
    return stamp.is_file() and stamp.read_text() == stamp_text(root) and (root / ".venv/bin/python").exists()


def stamp_text(root: Path) -> str:
    """What a completed .venv carries: the requirements' hash and the Python it was made with."""
    digest = hashlib.sha256((root / "requirements-dev.txt").read_bytes()).hexdigest()
    return f"{digest} python{sys.version_info.major}.{sys.version_info.minor}\n"


def _stamp_file(root: Path) -> Path:
    return root / ".venv/.raya-complete"


def _make(root: Path, venv: Path, say: Say) -> None:
    say("making .venv from requirements-dev.txt (about 2 minutes with a cold pip cache)")
    if venv.exists():
        shutil.rmtree(venv)
    _run(
        [sys.executable, "-m", "venv", str(venv)],
        "Python cannot make a virtual environment: on Debian or Ubuntu install the package python3-venv",
    )
    _run(
        [
            str(venv / "bin/python"),
            "-m",
            "pip",
            "install",
            *PIP_OPTIONS,
            "-r",
            str(root / "requirements-dev.txt"),
        ],
        "pip could not install requirements-dev.txt: is the package index reachable",
    )
    # Last: a .venv without its stamp is one whose making was interrupted, and is made anew.
    _stamp_file(root).write_text(stamp_text(root))
    say(".venv is ready")


def _run(command: list[str], sentence: str) -> None:
    answer = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if answer.returncode != 0:
        last_lines = "\n".join(answer.stdout.splitlines()[-20:])
        raise ToolchainError(
            f"{sentence} (`{' '.join(command)}` ended with {answer.returncode}):\n{last_lines}"
        )
