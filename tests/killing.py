"""Runs of the engine that are killed at a chosen point, alone or with all that they started."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cloud import RunningCloud

PATIENCE_S = 120
# How long the cloud sits on a request: longer than it takes to notice it and to kill whoever waits for it.
HANG_S = 1.0
_LOOK_EVERY_S = 0.005


@dataclass(frozen=True)
class Point:
    """A moment of a run: the ``nth`` request with this method and path (a regular expression).

    ``in flight``: it has left and the cloud has not carried it out yet, which it will. ``answered``: the
    answer was just sent. ``recorded``: the engine has just written its state for the ``nth`` time.
    """

    moment: str
    method: str = ""
    path: str = ""
    nth: int = 1

    def __str__(self) -> str:
        what = "state" if self.moment == "recorded" else f"{self.method} {self.path}"
        return f"{self.moment} {what.replace('$', '').replace('/', ' ').strip()} {self.nth}".replace(" ", "-")


def in_flight(method: str, path: str, nth: int = 1) -> Point:
    return Point("in flight", method, path, nth)


def answered(method: str, path: str, nth: int = 1) -> Point:
    return Point("answered", method, path, nth)


def recorded(nth: int) -> Point:
    return Point("recorded", nth=nth)


@dataclass(frozen=True)
class Killed:
    """A run that ended at its point. ``status``: what it ended with when only a plugin was killed."""

    status: int
    output: str


class Run:
    """A command in a session of its own, so that all it starts can be found."""

    def __init__(
        self, command: Sequence[str], *, folder: Path, environment: dict[str, str], state: Path | None = None
    ) -> None:
        self._command, self._folder, self._environment = command, folder, environment
        self._state = state

    def killed(self, point: Point, cloud: RunningCloud, *, only: str = "") -> Killed:
        """Starts it and kills it at ``point``; with ``only``, just the processes of that command line.

        Fails when it ends before.
        """
        before = len(cloud.requests())
        reached = self._watch(point, cloud, before)
        process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            until(lambda: reached() or process.poll() is not None)
            ended = process.poll()
            kill_session(process.pid, only=only)
            output, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            kill_session(process.pid)
            process.wait()
        assert ended is None, f"it ended with {ended} before {point}:\n{output}"
        if point.moment == "in flight":
            # The cloud does not know that nobody waits for the answer.
            until(lambda: len(_matching(cloud, point, before)) >= point.nth)
        cloud.clear_faults()
        return Killed(process.returncode, output)

    def _watch(self, point: Point, cloud: RunningCloud, before: int) -> Callable[[], bool]:
        if point.moment == "in flight":
            cloud.fault("hang", method=point.method, path=point.path, nth=point.nth, delaySeconds=HANG_S)
            return lambda: bool(cloud.control("GET", "faults")["faults"][-1]["struck"])
        if point.moment == "answered":
            return lambda: len(_matching(cloud, point, before)) >= point.nth
        assert self._state is not None
        return _Writes(self._state, point.nth)


class _Writes:
    """Counts how often a file was written anew, from the first time it is asked."""

    def __init__(self, file: Path, wanted: int) -> None:
        self._file, self._wanted = file, wanted
        self._seen, self._last = 0, self._inode()

    def __call__(self) -> bool:
        now = self._inode()
        self._seen, self._last = self._seen + (now != self._last), now
        return self._seen >= self._wanted

    def _inode(self) -> tuple[int, int]:
        try:
            stat = self._file.stat()
        except FileNotFoundError:
            return 0, 0
        return stat.st_ino, stat.st_mtime_ns


def _matching(cloud: RunningCloud, point: Point, after: int) -> list[dict[str, Any]]:
    return [
        each
        for each in cloud.control("GET", f"requests?after={after}")["requests"]
        if each["method"] == point.method and re.search(point.path, each["path"])
    ]


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(_LOOK_EVERY_S)


def members(session: int) -> Iterator[tuple[int, str]]:
    """The processes of a session and their command lines: engine, language host, program, plugins."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            command = (stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            yield int(stat.parent.name), command


def kill_session(session: int, *, only: str = "") -> None:
    """SIGKILL for those whose command line holds ``only``; without it for all, until none is left."""
    while found := [pid for pid, command in members(session) if only in command]:
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if only:
            return
        time.sleep(_LOOK_EVERY_S)
