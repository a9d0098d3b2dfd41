"""`python -m toolchain [TOOL...]`: make the tools and the .venv of this checkout. Runs before .venv exists.

Tools that are built on demand only are made when they are named.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from toolchain import cache, go, installed
from toolchain.recipes import FOLDER, TOOLS, Tool, ToolchainError
from toolchain.virtualenv import Virtualenv

ROOT = FOLDER.parent


def main() -> int:
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        for tool in wanted(sys.argv[1:], TOOLS):
            link(programs(tool, os.environ), ROOT / ".raya/bin")
        Virtualenv(root=ROOT).ensure(say)
    except ToolchainError as error:
        print(f"make setup: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def wanted(names: Sequence[str], tools: Sequence[Tool]) -> list[Tool]:
    """The tools that every checkout needs and those on demand that `names` has; unknown names are refused."""
    known = {tool.name for tool in tools}
    unknown = sorted(set(names) - known)
    if unknown:
        raise ToolchainError(
            f"there is no tool {', '.join(unknown)}: the tools are {', '.join(sorted(known))}."
        )
    return [tool for tool in tools if not tool.on_demand or tool.name in names]


def programs(tool: Tool, environment: Mapping[str, str]) -> dict[str, Path]:
    """Name -> path of the tool's programs: from PATH when new enough, else cached or newly built."""
    found = installed.find(tool, environment)
    if found is not None:
        return found
    place = cache.get(tool, cache.folder(environment), lambda target: build(tool, target, environment), say)
    return {binary.name: place / binary.name for binary in tool.binaries}


def build(tool: Tool, target: Path, environment: Mapping[str, str]) -> None:
    """Build all of `tool` into the folder `target`."""
    compiler = go.find(tool, environment)
    go.require_headers(compiler, tool, environment)
    started = time.monotonic()
    say(f"building {tool.name} {tool.version} ({tool.first_build} the first time, then it is kept)")
    for binary in tool.binaries:
        go.build(compiler, tool, binary, target / binary.name, environment, say)
    for file in tool.files:
        go.copy_module_file(compiler, file, target, environment)
    say(f"{tool.name} {tool.version} is ready after {time.monotonic() - started:.0f} s")


def link(found: Mapping[str, Path], folder: Path) -> None:
    """Point `folder`/<name> at each program; a link is replaced in one step, never missing in between."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in found.items():
        target = folder / name
        if target.is_symlink() and target.readlink() == place:
            continue
        fresh = folder / f".{name}.{os.getpid()}"
        fresh.symlink_to(place)
        fresh.replace(target)
        say(f"{name}: {place}")


def say(line: str) -> None:
    print(f"setup: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
