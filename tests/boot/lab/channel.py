"""QEMU's monitor and its guest agent: both take JSON commands over a socket."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.commands import LabError


class Channel:
    """JSON commands over a socket, one at a time: QEMU's monitor and the guest agent speak the same form."""

    def __init__(self, path: Path, alive: Callable[[], None]) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._buffer = b""
        self._calls = 0
        try:
            self._connect(path, alive)
        except BaseException:
            self._socket.close()
            raise

    def _connect(self, path: Path, alive: Callable[[], None]) -> None:
        limit = time.monotonic() + 30
        while True:
            try:
                self._socket.connect(str(path))
                return
            except OSError:
                alive()
                if time.monotonic() > limit:
                    raise LabError(f"nobody answers at {path}") from None
                time.sleep(0.05)

    def call(
        self, command: str, arguments: Mapping[str, Any] | None = None, *, patience_s: float = 60
    ) -> Any:
        """The command's result; LabError with its own words when refused, TimeoutError without an answer."""
        self._calls += 1
        request: dict[str, Any] = {"execute": command, "id": self._calls}
        if arguments:
            request["arguments"] = arguments
        self._socket.settimeout(patience_s)
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = json.loads(self._line())
            if answer.get("id") != request["id"]:
                continue  # a greeting, an event, or the late answer to a call that gave up
            if "error" in answer:
                raise LabError(f"{command}: {answer['error'].get('desc', answer['error'])}")
            return answer["return"]

    def answers(self, command: str, *, patience_s: float) -> bool:
        try:
            self.call(command, patience_s=patience_s)
        except OSError:
            return False
        return True

    def close(self) -> None:
        self._socket.close()

    def _line(self) -> bytes:
        while b"\n" not in self._buffer:
            received = self._socket.recv(65536)
            if not received:
                raise LabError("the machine was switched off")
            self._buffer += received
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line
