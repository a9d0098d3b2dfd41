"""What rendering every machine of the local stack costs, and how large the results are."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def render() -> dict[str, float]:
    """Seconds for `make render`, and the bytes of user data of the largest machine of each role."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "raya.render", "--stack", "local", "--out", folder],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        seconds = time.monotonic() - started
        sizes = {path.parent.name: path.stat().st_size for path in Path(folder).glob("*/user_data")}
    agents = [size for name, size in sizes.items() if "agent-" in name]
    control_planes = [size for name, size in sizes.items() if "agent-" not in name]
    return {
        "render_s": round(seconds, 2),
        "user_data_bytes_agent": max(agents, default=0),
        "user_data_bytes_control_plane": max(control_planes, default=0),
    }
