"""A plugin goes when the engine sends it away, and when the engine itself is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.localcloud.plugins.tables import PROJECT_ROOT

COMMAND = [sys.executable, "-m", "localcloud.plugins.random", "127.0.0.1:1"]
# Starts the plugin, waits for its port, tells its pid and ends without a word to it: a killed engine.
KILLED_ENGINE = """
import subprocess, sys
plugin = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, start_new_session=True)
plugin.stdout.readline()
print(plugin.pid, flush=True)
"""
PATIENCE_S = 30.0


def _environment() -> dict[str, str]:
    return {**os.environ, "RAYA_LOCALCLOUD": "1"}


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_sigint_ends_it_at_once() -> None:
    """The engine's way; one that stays costs each command five seconds."""
    plugin = subprocess.Popen(
        COMMAND, cwd=PROJECT_ROOT, env=_environment(), stdout=subprocess.PIPE, start_new_session=True
    )
    assert plugin.stdout is not None
    assert int(plugin.stdout.readline()) > 0
    plugin.send_signal(signal.SIGINT)
    assert plugin.wait(PATIENCE_S) == 0
    plugin.stdout.close()


def test_it_does_not_outlive_its_engine() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", KILLED_ENGINE, *COMMAND],
        cwd=PROJECT_ROOT,
        env=_environment(),
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE_S,
    )
    pid, end = int(ran.stdout), time.monotonic() + PATIENCE_S
    while _running(pid):
        assert time.monotonic() < end, f"the plugin {pid} outlived its engine"
        time.sleep(0.1)
