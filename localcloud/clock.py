"""The local cloud's time: the real one plus an offset that tests advance."""

import time
from datetime import UTC, datetime

from localcloud.errors import ApiError
from localcloud.store import Store

LATEST = datetime(9000, 1, 1, tzinfo=UTC)
"""The clock's end. What ends later than now, as an action does, must still end before the year 10000: neither
Python nor RFC 3339 knows that one."""


class Clock:
    """Seconds since 1970. The offset is stored, so that time does not jump back after a restart."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def now(self) -> float:
        """Now, in seconds since 1970."""
        return time.time() + self._offset_s()

    def advance(self, seconds: float) -> None:
        """Move time forward, at most to LATEST."""
        if self.now() + seconds > LATEST.timestamp():
            raise ApiError(
                400,
                "invalid_input",
                f"the clock stands at {self.stamp()} and goes no further than {stamp(LATEST.timestamp())}:"
                f" advanceSeconds is {int(LATEST.timestamp() - self.now())} at the most",
            )
        self._store.put("clock", "offset", {"seconds": self._offset_s() + seconds})

    def _offset_s(self) -> float:
        # Asked of the store each time: what a request did is undone there when the request fails.
        offset: float = (self._store.get("clock", "offset") or {"seconds": 0.0})["seconds"]
        return offset

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
