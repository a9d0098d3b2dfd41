"""The local cloud in the background: started once, found again by its pid file, stopped by its pid.

Beside the pid file lies `<pid file>.lock`: starts and stops take their turn with it, and it holds the path of
the state file last served, by which a server is found whose pid file was lost.
"""

import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path

from localcloud.server import HOST

START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 10.0
_IS_SERVER = " -m localcloud serve "
_PROC = Path("/proc") if Path("/proc/self/cmdline").exists() else None


class DaemonError(Exception):
    """The local cloud cannot be started or stopped; the message says why and what to do."""


def start(
    *, port: int, state: Path, pid_file: Path, log: Path, seed: Path | None = None, pins: Path | None = None
) -> int:
    """Start serving in a session of its own, unless it already does. Two starts at once: the second finds the
    first one's server."""
    for path in (pid_file, log):
        path.parent.mkdir(parents=True, exist_ok=True)
    with _turn(pid_file) as note:
        pid = running_pid(pid_file) or next(_serving(state), None)
        if pid is not None:
            return _keep(pid, port, pid_file)
        if port and _port_taken(port):
            raise DaemonError(
                f"port {port} on {HOST} is held by {_holder(port)}: stop that one, or choose another port"
            )
        _write(note, str(state.resolve()))
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
        _write(pid_file, str(process.pid))
        address = _await_address(process, log, begin, pid_file)
    print(f"localcloud is running on {address} (pid {process.pid})")
    return 0


def stop(*, pid_file: Path) -> int:
    """Stop what the pid file names, and what serves the same state file without being named."""
    if not pid_file.parent.is_dir():
        return 0
    with _turn(pid_file) as note:
        state = note.read_text().strip()
        named = running_pid(pid_file)
        pids = {*([named] if named else []), *(_serving(Path(state)) if state else [])}
        for pid in sorted(pids):
            _end(pid)
            print(f"localcloud stopped (pid {pid})")
        pid_file.unlink(missing_ok=True)
    return 0


@contextlib.contextmanager
def _turn(pid_file: Path) -> Iterator[Path]:
    """Alone with the pid file until the block ends; the file of the lock, which no child inherits."""
    note = pid_file.with_name(f"{pid_file.name}.lock")
    with note.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield note


def _keep(pid: int, port: int, pid_file: Path) -> int:
    """The server runs already: note its pid, in case the pid file was lost."""
    if not is_localcloud(port) or f" --port {port} " not in f"{_command(pid)} ":
        raise DaemonError(
            f"the local cloud of {pid_file} runs as process {pid}, but does not answer on port {port}:"
            f" stop it with `kill {pid}`, then start again"
        )
    _write(pid_file, str(pid))
    print(f"localcloud is running on http://{HOST}:{port} (pid {pid})")
    return 0


def _write(path: Path, line: str) -> None:
    try:
        path.write_text(f"{line}\n")
    except OSError as error:
        raise DaemonError(f"{path} cannot be written: {error.strerror}") from error


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while serves(pid):
        if time.monotonic() > deadline:
            raise DaemonError(
                f"process {pid} did not end within {STOP_TIMEOUT_S:.0f} s after SIGTERM;"
                f" end it with `kill -9 {pid}`"
            )
        time.sleep(0.02)


def _holder(port: int) -> str:
    """Who holds the port, for people."""
    for pid, command in _servers():
        if f" --port {port} " in f"{command} ":
            return f"another local cloud (pid {pid}: {command.partition(' -m ')[2]})"
    return "another program (maybe the local cloud of another checkout)"


def running_pid(pid_file: Path) -> int | None:
    """The pid in the file, if that process is a running local cloud."""
    try:
        pid = int(pid_file.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return pid if serves(pid) else None


def serves(pid: int) -> bool:
    """Whether the process is a running local cloud. A pid may have been given to another program since."""
    return _IS_SERVER in _command(pid)


def _command(pid: int) -> str:
    """The words of a process's command line with a space between; "" when there is no such process."""
    if _PROC is None:
        return _ps("-o", "command=", "-p", str(pid)).strip()
    with contextlib.suppress(OSError):
        # Empty once the process has ended and waits for its parent.
        words = (_PROC / str(pid) / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        return b" ".join(words).decode(errors="replace")
    return ""


def _servers() -> Iterator[tuple[int, str]]:
    """Every running local cloud of this machine: its pid and its command line."""
    commands: Iterable[tuple[int, str]]
    if _PROC is not None:
        pids = (int(folder.name) for folder in _PROC.glob("[0-9]*"))
        commands = ((pid, _command(pid)) for pid in pids)
    else:
        lines = (line.strip().partition(" ") for line in _ps("-axo", "pid=,command=").splitlines())
        commands = ((int(pid), command) for pid, _, command in lines)
    return ((pid, command) for pid, command in commands if _IS_SERVER in command)


def _ps(*options: str) -> str:
    return subprocess.run(["ps", "-ww", *options], capture_output=True, text=True, check=False).stdout


def _serving(state: Path) -> Iterator[int]:
    """The running local clouds that serve this state file: one at the most, but for a moment."""
    return (pid for pid, command in _servers() if f" --state {state.resolve()} " in f"{command} ")


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
    process.kill()
    process.wait()
    pid_file.unlink(missing_ok=True)
    raise DaemonError(f"the server did not listen within {START_TIMEOUT_S:.0f} s and was ended; see {log}")
