"""An append-only log that keeps its newest entries only: a local cloud may run for months."""

from itertools import islice
from typing import Any

ENTRIES_KEPT = 20_000
"""More than an update of 100 machines causes; the oldest go first."""
_SLACK = 1_000

Entry = dict[str, Any]


class Log:
    """Entries with their number (`seq`), from 1 on; a number is never given to two entries."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._last: int = entries[-1]["seq"] if entries else 0

    def append(self, entry: Entry) -> Entry:
        """Number an entry and add it. Returned is the entry as it is kept."""
        self._last += 1
        numbered = {"seq": self._last} | entry
        self._entries.append(numbered)
        return numbered

    def take_back(self) -> None:
        """Remove the newest entry: what it tells of was undone."""
        self._entries.pop()
        self._last -= 1

    def forget_oldest(self) -> int | None:
        """Drop what is too old, many entries at a time; the number of the newest one dropped."""
        if len(self._entries) < ENTRIES_KEPT + _SLACK:
            return None
        newest_dropped: int = self._entries[_SLACK - 1]["seq"]
        del self._entries[:_SLACK]
        return newest_dropped

    def entries(self) -> list[Entry]:
        """What is kept, oldest first."""
        return self._entries

    def after(self, seq: int) -> tuple[list[Entry], int]:
        """The kept entries with a greater number, and how many such entries are no longer kept."""
        dropped_until = self._last - len(self._entries)
        skip = max(0, seq - dropped_until)
        return list(islice(self._entries, skip, None)), max(0, dropped_until - max(0, seq))
