"""`python -m toolchain.left_behind`: ends the language hosts of this checkout whose engine was killed.

The engine starts one for each run (`<checkout>/.raya/bin/pulumi-language-python <address of the engine>`) and
ends it afterwards. A killed engine cannot, and the language host itself looks after its engine once in some
minutes only. The plugins of the local cloud end by themselves.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HOST = Path(__file__).parents[1] / ".raya/bin/pulumi-language-python"
END_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Process:
    """A running process; ``command`` is its command line with a space between the words."""

    pid: int
    parent: int
    command: str


def processes() -> Iterator[Process]:
    """Those of this user."""
    listed = subprocess.run(
        ["ps", "-ww", "-U", str(os.getuid()), "-o", "pid=,ppid=,stat=,args="],
        capture_output=True,
        text=True,
        check=True,
    )
    for line in listed.stdout.splitlines():
        pid, parent, status, command = (*line.split(maxsplit=3), "")[:4]
        if not status.startswith("Z"):
            yield Process(int(pid), int(parent), command)


def left_behind(running: list[Process], host: Path) -> Iterator[Process]:
    """The language hosts that nobody needs any more: no engine is their parent, or answers at its address."""
    engines = {each.pid for each in running if re.search(r"(^|/)pulumi( |$)", each.command)}
    for each in running:
        address = re.fullmatch(rf"{re.escape(str(host))} 127\.0\.0\.1:(\d+)", each.command)
        if address and each.parent not in engines and not _listens(int(address[1])):
            yield each


def end(host: Path = HOST) -> None:
    """Ends them and says so."""
    for each in left_behind(list(processes()), host):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each.pid, signal.SIGTERM)
        print(f"A killed run had left its language host behind (pid {each.pid}): ended it.", flush=True)
        deadline = time.monotonic() + END_TIMEOUT_S
        while each in processes():
            if time.monotonic() > deadline:
                print(f"It still runs; end it with `kill -9 {each.pid}`.", file=sys.stderr)
                break
            time.sleep(0.05)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    end()
