"""The local cloud's time: the real one plus an offset that tests advance."""

import time
from datetime import UTC, datetime

from localcloud.store import Store


class Clock:
    """Seconds since 1970. The offset is stored, so that time does not jump back after a restart."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._offset_s: float = (store.get("clock", "offset") or {"seconds": 0.0})["seconds"]

    def now(self) -> float:
        """Now, in seconds since 1970."""
        return time.time() + self._offset_s

    def advance(self, seconds: float) -> None:
        """Move time forward."""
        self._offset_s += seconds
        self._store.put("clock", "offset", {"seconds": self._offset_s})

    def stamp(self) -> str:
        """Now, as Hetzner writes it: `2026-08-01T12:00:00Z`."""
        return stamp(self.now())

    def stamp_ms(self) -> str:
        """Now, as Google's DNS writes it: `2026-08-01T12:00:00.123Z`."""
        return (
            datetime.fromtimestamp(self.now(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        )


def stamp(seconds: float) -> str:
    """A point in time as RFC 3339 text in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
