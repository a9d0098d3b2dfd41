"""One recovery of a stack at a time. Two would each look, and each do, what only one of them may."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from raya.errors import RayaError


class AnotherRecoveryError(RayaError):
    """Somebody else recovers the same stack."""


@contextmanager
def alone(root: Path, stack: str) -> Iterator[None]:
    """Holds the stack's turn in the checkout ``root``; raises ``AnotherRecoveryError`` when it is taken.

    The kernel ends the lock with the process, however that ends, so the file may stay: it names its holder.
    """
    # A stack's name may begin with its organisation's.
    file = root / ".raya" / "recover" / f"{quote(stack, safe='')}.lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise AnotherRecoveryError(
                f"another recovery of {stack} runs in this checkout ({lock.read().strip() or 'just begun'}). "
                "Wait for it: it shows what it will do before it does it, and may wait for a yes."
            ) from None
        lock.truncate(0)
        lock.write(f"pid {os.getpid()}, begun at {datetime.now():%H:%M:%S}\n")
        lock.flush()
        yield
