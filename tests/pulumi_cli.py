"""The real `pulumi` as the tests run it: from this checkout's tools, over a backend in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

TOOLS = Path(__file__).parents[1] / ".raya" / "bin"
# The passphrase of Pulumi.local.yaml, whose secrets are pretend ones.
PASSPHRASE = "local"
TIMEOUT_S = 300


def path() -> str:
    """PATH with this virtual environment and this checkout's tools first."""
    return os.pathsep.join([str(Path(sys.executable).parent), str(TOOLS), os.environ["PATH"]])


def environment(*, home: Path, backend: Path) -> dict[str, str]:
    """Of a stack whose plugins are below ``home`` and whose state is in the folder ``backend``."""
    return {
        **os.environ,
        "PATH": path(),
        "PULUMI_HOME": str(home),
        "PULUMI_BACKEND_URL": f"file://{backend}",
        "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "RAYA_LOCALCLOUD": "1",
        "NO_COLOR": "1",
    }


def run(
    folder: Path,
    environment: Mapping[str, str],
    *arguments: str,
    check: bool = True,
    timeout_s: float = TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    """Runs ``pulumi`` in ``folder``; a failure shows all it printed."""
    ran = subprocess.run(
        ["pulumi", "--non-interactive", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=timeout_s,
        stdin=subprocess.DEVNULL,
    )
    if check and ran.returncode != 0:
        raise AssertionError(f"pulumi {' '.join(arguments)} failed:\n{ran.stdout}\n{ran.stderr}")
    return ran
