"""Waiting with an end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

TRIES = 120


def until(ready: Callable[[T], bool], read: Callable[[], T], every_s: float) -> T:
    """Read until it is ready, and return that. Fails after TRIES readings with the last one."""
    for _ in range(TRIES):
        found = read()
        if ready(found):
            return found
        time.sleep(every_s)
    raise AssertionError(f"still not ready after {TRIES} readings: {found}")
