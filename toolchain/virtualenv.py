"""Virtual environments, made from a requirements file, and anew only when it or the Python changed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, kw_only=True)
class Virtualenv:
    """A virtual environment of a checkout: the folder, and the file that names what is in it."""

    root: Path
    folder: str = ".venv"
    requirements: str = "requirements-dev.txt"

    @property
    def bin(self) -> Path:
        return self._path / "bin"

    def ensure(self, say: Say) -> None:
        """Make it when it is missing or stale; ToolchainError carries the failing step's words."""
        (self.root / ".raya").mkdir(exist_ok=True)
        with lock(
            self.root / ".raya/venv.lock", lambda: say(f"waiting for another setup that makes {self.folder}")
        ):
            if not self.is_current():
                self._make(say)

    def is_current(self) -> bool:
        """Whether it was completed from the present requirements with the present Python."""
        stamp = self._stamp
        return stamp.is_file() and stamp.read_text() == self.stamp_text() and (self.bin / "python").exists()

    def stamp_text(self) -> str:
        """What it carries when it is complete: the requirements' hash and the Python it was made with."""
        digest = hashlib.sha256((self.root / self.requirements).read_bytes()).hexdigest()
        return f"{digest} python{sys.version_info.major}.{sys.version_info.minor}\n"

    @property
    def _path(self) -> Path:
        return self.root / self.folder

    @property
    def _stamp(self) -> Path:
        return self._path / ".raya-complete"

    def _make(self, say: Say) -> None:
        say(f"making {self.folder} from {self.requirements} (about 2 minutes with a cold pip cache)")
        if self._path.exists():
            shutil.rmtree(self._path)
        _run(
            [sys.executable, "-m", "venv", str(self._path)],
            "Python cannot make a virtual environment: on Debian or Ubuntu install the package python3-venv",
        )
        pip = [str(self.bin / "python"), "-m", "pip", "install", *PIP_OPTIONS]
        _run(
            [*pip, "-r", str(self.root / self.requirements)],
            f"pip could not install {self.requirements}: is the package index reachable",
        )
        # Last: one without its stamp is one whose making was interrupted, and is made anew.
        self._stamp.write_text(self.stamp_text())
        say(f"{self.folder} is ready")


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
