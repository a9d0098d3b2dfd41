"""`python -m toolchain.stack_lock [--look] STATE STACK`: frees a stack that a killed engine left locked.

STATE is the folder of a `file://` backend, where the engine locks a stack by a file with its pid and host:
.pulumi/locks/<organization>/<project>/<stack>/<uuid>.json (pulumi/pkg/backend/diy/lock.go). It removes the
files of engines that are gone, and no others: `pulumi cancel` would remove those of an engine that began
meanwhile, too. With `--look` it only says what it found.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Exit statuses: somebody works on the stack; it is locked by a run that is gone (with --look).
HELD, LEFT = 3, 4


@dataclass(frozen=True)
class Holder:
    """The engine that made a lock file."""

    file: Path
    pid: int
    host: str

    @property
    def lives(self) -> bool:
        """Whether it may still work: on another host nobody here can tell."""
        return self.host != socket.gethostname() or "pulumi" in _command(self.pid)

    def __str__(self) -> str:
        return f"pid {self.pid}" + ("" if self.host == socket.gethostname() else f" on {self.host}")


def holders(state: Path, stack: str) -> Iterator[Holder]:
    """Who locked this project's stack; nobody in most cases."""
    for file in (state / ".pulumi/locks").glob(f"*/{project()}/{stack}/*.json"):
        try:
            lock = json.loads(file.read_text())
            yield Holder(file, int(lock["pid"]), str(lock["hostname"]))
        except FileNotFoundError:
            continue  # freed meanwhile
        except (ValueError, KeyError, TypeError):
            yield Holder(file, 0, socket.gethostname())  # half written by an engine that was killed doing so


def free(state: Path, stack: str, *, look: bool = False) -> int:
    """0 when the stack is free, or was freed; HELD when an engine works on it. Says what it did.

    ``look``: changes nothing; LEFT where it would free the stack.
    """
    found = list(holders(state, stack))
    if living := [str(each) for each in found if each.lives]:
        print(
            f"The stack {stack} is locked: an engine works on it ({', '.join(living)}). Wait for it, or end"
            " it with `kill` and its pid: it finishes its running step and frees the stack. When there is no"
            f' such process: eval "$(make -s env STACK={stack})" and pulumi cancel --yes --stack {stack}.',
            file=sys.stderr,
        )
        return HELD
    gone = ", ".join(str(each) for each in found)
    if found and look:
        print(f"The stack {stack} is locked by a run that was killed ({gone}).", file=sys.stderr)
        return LEFT
    for each in found:
        each.file.unlink(missing_ok=True)
    if found:
        print(f"The stack {stack} was locked by a run that was killed ({gone}): freed it.")
    return 0


def project() -> str:
    """The name of this checkout's project; a backend in a folder may hold several."""
    (name,) = re.findall(r"^name: *(\S+)", (Path(__file__).parents[1] / "Pulumi.yaml").read_text(), re.M)
    return str(name)


def _command(pid: int) -> str:
    """The name of a process's program; "" when there is none."""
    if not pid:
        return ""
    listed = subprocess.run(
        ["ps", "-o", "stat=,comm=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    status, _, name = listed.stdout.strip().partition(" ")
    return "" if status.startswith("Z") else name.strip().rpartition("/")[2]


if __name__ == "__main__":
    *options, state, stack = sys.argv[1:]
    sys.exit(free(Path(state), stack, look=options == ["--look"]))
