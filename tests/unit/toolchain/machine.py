"""A pretend machine: a PATH of stand-in programs, a cache of its own, a checkout with the toolchain only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from toolchain.recipes import TOOLS
from toolchain.virtualenv import Virtualenv

ROOT = Path(__file__).resolve().parents[3]
BASE_PYTHON = Path(getattr(sys, "_base_executable", None) or sys.executable)

# What `go` is asked for here: its version, whether it upgrades itself, a build, the folder of a module. It
# counts its builds; a build writes half of a program and, while the file `hold` exists, goes no further.
FAKE_GO = r"""#!/bin/sh
case "$1 $2" in
  "env GOVERSION") echo "$FAKE_GO_VERSION" ;;
  "env GOTOOLCHAIN") echo local ;;
  "env CC") echo "${CC:-cc}" ;;
  "list -mod=readonly") mkdir -p "$FAKE_STATE/module/python/cmd"
    echo exec > "$FAKE_STATE/module/python/cmd/pulumi-language-python-exec"
    echo "$FAKE_STATE/module" ;;
  build*)
    asked="$*"
    while [ "$1" != -o ]; do shift; done
    printf half > "$2"
    echo "some/package" >&2
    echo "$asked" >> "$FAKE_STATE/builds"
    [ ! -e "$FAKE_STATE/fail" ] || { echo "a compiler's complaint" >&2; exit 1; }
    while [ -e "$FAKE_STATE/hold" ]; do sleep 0.05; done
    printf '#!/bin/sh\necho v9.9.9\n' > "$2"; chmod +x "$2" ;;
  *) echo "unexpected: go $*" >&2; exit 3 ;;
esac
"""


@dataclass(frozen=True)
class Machine:
    """Everything lies below `folder`: bin (on PATH), state (of the fake go), cache, checkout."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> Machine:
        machine = cls(folder)
        for name in ("bin", "state", "home", "checkout"):
            (folder / name).mkdir()
        shutil.copytree(
            ROOT / "toolchain", machine.checkout / "toolchain", ignore=shutil.ignore_patterns("__pycache__")
        )
        # Nothing to install: these tests are about when it is done.
        (machine.checkout / "requirements-dev.txt").write_text("# none\n")
        return machine

    @property
    def checkout(self) -> Path:
        return self.folder / "checkout"

    @property
    def cache(self) -> Path:
        return self.folder / "home/.cache/raya/toolchain"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join([str(self.folder / "bin"), "/usr/bin", "/bin"]),
            "HOME": str(self.folder / "home"),
            "FAKE_STATE": str(self.state),
            "FAKE_GO_VERSION": "go1.99.0",
        }

    def pretend_venv(self) -> None:
        """A .venv that counts as complete: a real one takes seconds and most tests are not about it."""
        python = self.install("python", "#!/bin/sh\n", folder="checkout/.venv/bin")
        (python.parents[1] / ".raya-complete").write_text(Virtualenv(root=self.checkout).stamp_text())

    def install(self, name: str, script: str, folder: str = "bin") -> Path:
        """Put the program `name` with this text into a folder of the machine."""
        path = self.folder / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
        return path

    def install_saying(self, name: str, version: str, folder: str = "bin") -> Path:
        """Put a program there that answers every call with `version`."""
        return self.install(name, f"#!/bin/sh\necho {version}\n", folder)

    def install_new_tools(self) -> None:
        """Everything that a checkout needs is on PATH, and newer than the pinned ones."""
        for tool in TOOLS:
            if not tool.on_demand:
                for binary in tool.binaries:
                    self.install_saying(binary.name, "v99.0.0")

    def install_go(self) -> None:
        self.install("go", FAKE_GO)

    def builds(self) -> int:
        """How many times the fake go was asked to build."""
        file = self.state / "builds"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def start_setup(self, *tools: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            # Whoever runs the tests in the background has SIGINT ignored, and a child would inherit that.
            ["/usr/bin/env", "--default-signal=INT", BASE_PYTHON, "-m", "toolchain", *tools],
            cwd=self.checkout,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def setup(self, *tools: str, **environment: str) -> tuple[int, str]:
        """Run `python -m toolchain` to its end: exit status and everything it printed."""
        process = self.start_setup(*tools, **environment)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output
