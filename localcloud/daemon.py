"""The local cloud in the background: started once, found again by its pid file, stopped by its pid."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from localcloud.server import HOST

START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 10.0


class DaemonError(Exception):
    """The local cloud cannot be started or stopped; the message says why and what to do."""


def start(
    *, port: int, state: Path, pid_file: Path, log: Path, seed: Path | None = None, pins: Path | None = None
) -> int:
    """Start serving in a session of its own, unless it already does."""
    pid = running_pid(pid_file)
    if pid is not None and is_localcloud(port):
        print(f"localcloud is running on http://{HOST}:{port} (pid {pid})")
        return 0
    if pid is not None:
        raise DaemonError(
            f"{pid_file} names the running process {pid}, which does not answer on port {port}: stop it first"
        )
    if port and _port_taken(port):
        raise DaemonError(
            f"port {port} on {HOST} is held by another program: stop that one, or choose another port"
        )
    for path in (pid_file, log):
        path.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "localcloud", "serve", "--port", str(port)]
    for name, value in (("--state", state), ("--seed", seed), ("--pins", pins)):
        command += [name, str(value.resolve())] if value else []
    with log.open("ab") as output:
        begin = output.tell()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            cwd=Path(__file__).resolve().parents[1],
        )
    pid_file.write_text(f"{process.pid}\n")
    print(f"localcloud is running on {_await_address(process, log, begin, pid_file)} (pid {process.pid})")
    return 0


def stop(*, pid_file: Path) -> int:
    """Stop what the pid file names and wait for its end."""
    pid = running_pid(pid_file)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while running_pid(pid_file) is not None:
            if time.monotonic() > deadline:
                raise DaemonError(f"process {pid} did not end within {STOP_TIMEOUT_S:.0f} s after SIGTERM")
            time.sleep(0.02)
        print(f"localcloud stopped (pid {pid})")
    pid_file.unlink(missing_ok=True)
    return 0


def running_pid(pid_file: Path) -> int | None:
    """The pid in the file, if that process is a running local cloud."""
    try:
        pid = int(pid_file.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return pid if serves(pid) else None


def serves(pid: int) -> bool:
    """Whether the process is a running local cloud. A pid may have been given to another program since."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    command = Path(f"/proc/{pid}/cmdline")
    if command.exists():  # empty once the process has ended and waits for its parent
        return b"\0localcloud\0serve\0" in command.read_bytes()
    words = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return " localcloud serve " in words.stdout


def is_localcloud(port: int) -> bool:
    """Whether a local cloud answers on the port."""
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/_control/settings", timeout=2) as answer:
            return "actionSeconds" in json.load(answer)
    except (OSError, ValueError, urllib.error.URLError):
        return False


def _port_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def _await_address(process: "subprocess.Popen[bytes]", log: Path, begin: int, pid_file: Path) -> str:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        text = log.read_bytes()[begin:].decode(errors="replace")
        for line in text.splitlines():
            if line.startswith("localcloud listening on "):
                return line.rsplit(" ", 1)[1]
        if process.poll() is not None:
            pid_file.unlink(missing_ok=True)
            raise DaemonError(f"the server ended at once: {text.strip() or 'without a word'} ({log})")
        time.sleep(0.02)
    raise DaemonError(f"the server did not listen within {START_TIMEOUT_S:.0f} s; see {log}")
