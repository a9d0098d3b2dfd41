"""Objects in memory, written through to SQLite at the end of each request.

Reading never touches the disk. A write marks the object; `commit` writes all marked objects in one
transaction, so a request is stored completely or not at all, also when the process is killed in the middle of
it.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from localcloud.log import Log

Json = dict[str, Any]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (kind TEXT, key TEXT, value TEXT NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS log (kind TEXT, seq INTEGER, value TEXT NOT NULL, PRIMARY KEY (kind, seq));
"""


class StoreError(Exception):
    """The state file cannot be used; the message names it and says why."""


class StoreNotWrittenError(StoreError):
    """The file took nothing of what changed since the last commit; `rollback` undoes that in memory too."""


class Store:
    """Tables of JSON objects by kind and key, and append-only logs.

    `path` None keeps everything in memory only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._db = _open(path)
        self._tables: dict[str, dict[str, Json]] = {}
        self._dirty: dict[tuple[str, str], None] = {}
        self._touched: set[str] = set()
        self._unsaved_entries: list[tuple[str, int, str]] = []
        for kind, key, value in self._db.execute("SELECT kind, key, value FROM objects ORDER BY rowid"):
            self._tables.setdefault(kind, {})[key] = json.loads(value)
        saved: dict[str, list[Json]] = {}
        for kind, value in self._db.execute("SELECT kind, value FROM log ORDER BY kind, seq"):
            saved.setdefault(kind, []).append(json.loads(value))
        self._logs = {kind: Log(entries) for kind, entries in saved.items()}

    def all(self, kind: str) -> list[Json]:
        """Every object of a kind, oldest first."""
        self._touched.add(kind)
        return list(self._tables.get(kind, {}).values())

    def get(self, kind: str, key: object) -> Json | None:
        """The live object. Whoever changes it calls `put` with it afterwards."""
        self._touched.add(kind)
        return self._tables.get(kind, {}).get(str(key))

    def put(self, kind: str, key: object, value: Json) -> Json:
        """Keep an object, new or changed."""
        self._tables.setdefault(kind, {})[str(key)] = value
        self._dirty[kind, str(key)] = None
        return value

    def delete(self, kind: str, key: object) -> None:
        """Forget an object; a missing one is fine."""
        self._tables.get(kind, {}).pop(str(key), None)
        self._dirty[kind, str(key)] = None

    def kinds(self) -> Iterator[str]:
        """The kinds that hold objects."""
        return (kind for kind, table in self._tables.items() if table)

    def keys(self, kind: str) -> list[str]:
        """The keys of a kind, oldest first."""
        return list(self._tables.get(kind, {}))

    def count(self, kind: str) -> int:
        """How many objects of a kind there are."""
        return len(self._tables.get(kind, {}))

    def next_number(self, sequence: str, first: int = 1) -> int:
        """The next number of a sequence. Numbers are never given twice, not even after a reset."""
        counter = self.get("sequence", sequence) or {"next": first}
        number: int = counter["next"]
        self.put("sequence", sequence, {"next": number + 1})
        return number

    def append(self, log: str, entry: Json) -> None:
        """Number an entry and add it to a log; it is stored with the next commit."""
        kept = self.journal(log).append(entry)
        self._unsaved_entries.append((log, kept["seq"], json.dumps(kept)))

    def journal(self, log: str) -> Log:
        """A log of that name."""
        return self._logs.setdefault(log, Log([]))

    def log(self, log: str) -> list[Json]:
        """The kept entries of a log, oldest first."""
        return self.journal(log).entries()

    def clear_log(self, log: str) -> None:
        """Empty a log."""
        with self._transaction() as db:
            db.execute("DELETE FROM log WHERE kind = ?", (log,))
        self._unsaved_entries = [entry for entry in self._unsaved_entries if entry[0] != log]
        self._logs[log] = Log([])

    def commit(self) -> None:
        """Write what changed since the last commit."""
        if not self._dirty and not self._unsaved_entries:
            self._touched.clear()
            return
        with self._transaction() as db:
            for kind, key in self._dirty:
                value = self.get(kind, key)
                if value is None:
                    db.execute("DELETE FROM objects WHERE kind = ? AND key = ?", (kind, key))
                else:
                    db.execute(
                        "INSERT INTO objects VALUES (?, ?, ?) "
                        "ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
                        (kind, key, json.dumps(value)),
                    )
            db.executemany("INSERT OR REPLACE INTO log VALUES (?, ?, ?)", self._unsaved_entries)
            for name in {entry[0] for entry in self._unsaved_entries}:
                newest_dropped = self._logs[name].forget_oldest()
                if newest_dropped is not None:
                    db.execute("DELETE FROM log WHERE kind = ? AND seq <= ?", (name, newest_dropped))
        self._forget_marks()
        self._unsaved_entries.clear()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All that the block writes, or nothing of it when the disk does not take it."""
        try:
            with self._db:
                yield self._db
        except sqlite3.OperationalError as error:
            folder = self._path.resolve().parent if self._path else "memory"
            raise StoreNotWrittenError(
                f"the local cloud cannot write its state in {folder} ({error}):"
                " nothing of this request was kept. Make room there, then repeat it."
            ) from error

    def rollback(self, *, looked_only: bool = False) -> None:
        """Take everything that was looked at since the last commit back from the disk.

        Handlers get live objects and may have changed one before they refused: that, too, is undone. Those
        that only look (`looked_only`) change nothing that they do not `put`, and are spared the reading.
        """
        looked_at = set() if looked_only else self._touched
        for kind in looked_at | {kind for kind, _ in self._dirty}:
            rows = self._db.execute("SELECT key, value FROM objects WHERE kind = ? ORDER BY rowid", (kind,))
            self._tables[kind] = {key: json.loads(value) for key, value in rows}
        self._forget_marks()
        for log, _, _ in self._unsaved_entries:
            self._logs[log].take_back()
        self._unsaved_entries.clear()

    def _forget_marks(self) -> None:
        self._dirty.clear()
        self._touched.clear()

    def close(self) -> None:
        """Write what is left and let go of the file."""
        self.commit()
        self._db.close()


def _open(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    # check_same_thread: the server's one thread is not the one that opened the file.
    db = sqlite3.connect(path if path is not None else ":memory:", timeout=2, check_same_thread=False)
    try:
        # One process at a time: two servers on one file would overwrite each other's objects. The lock dies
        # with the process, so a killed server does not keep it.
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("PRAGMA journal_mode = WAL")
        # A killed process loses nothing with NORMAL; only a power cut could, and this state is a pretend one.
        db.execute("PRAGMA synchronous = NORMAL")
        db.executescript(_SCHEMA)
    except sqlite3.DatabaseError as error:
        db.close()
        held = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
        advice = " Does another local cloud use this file? Stop that first." if held else ""
        raise StoreError(f"{path}: cannot be opened ({error}).{advice}") from error
    return db
