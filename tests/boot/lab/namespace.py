"""A network namespace for this process and all that it starts: no packet of a lab ever leaves the machine."""

from __future__ import annotations

import ctypes
import os

from tests.commands import LabError, run

CLONE_NEWNET = 0x40000000


def enter() -> None:
    """Moves the calling thread, and so whatever it starts later, into a network namespace of its own.

    The namespace has no name and no file: it is gone when the last process in it is.
    """
    if os.geteuid() != 0:
        raise LabError("the boot lab makes network namespaces and a root file system: run it as root")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise LabError(f"no network namespace could be made: {os.strerror(ctypes.get_errno())}")
    run(["ip", "link", "set", "lo", "up"])
