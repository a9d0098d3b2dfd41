"""`python -m toolchain.turn FD FILE PID NAME`: one verb of the local stack at a time.

Locks FILE by its open descriptor FD, which the calling shell keeps: the lock ends with the shell, however
that ends. Python, because not every system brings a `flock` command. The file names the owner: "PID NAME".
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path


def take(descriptor: int, file: Path, *, pid: int, name: str) -> None:
    """Lock and sign; ends the program with a sentence when another process has the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        other, _, verb = file.read_text().strip().partition(" ")
        raise SystemExit(
            f"{name}: another {verb or 'verb'} runs in this checkout (pid {other or 'unknown'}): wait for it."
        ) from None
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{pid} {name}\n".encode())


if __name__ == "__main__":
    take(int(sys.argv[1]), Path(sys.argv[2]), pid=int(sys.argv[3]), name=sys.argv[4])
