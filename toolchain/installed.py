"""Tools that a machine already has: looked for on PATH, used when they are new enough."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolchain.recipes import Tool, version_tuple

VERSION_TIMEOUT_S = 30
CHECKOUT_BIN = Path(".raya/bin")


def find(tool: Tool, environment: Mapping[str, str]) -> dict[str, Path] | None:
    """Name -> path of every binary of `tool`, when PATH has them all and the tool is at least the pinned one.

    The second and further binaries (pulumi's language host) may also lie beside the first, links resolved.
    """
    if tool.exact or tool.linker_variables:
        return None
    pinned = version_tuple(tool.version)
    for candidate in _on_path(tool.name, environment):
        version = _version(candidate, tool, environment)
        if version is None or pinned is None or version < pinned:
            continue
        found = _with_companions(candidate, tool, environment)
        if found is not None:
            return found
    return None


def _with_companions(first: Path, tool: Tool, environment: Mapping[str, str]) -> dict[str, Path] | None:
    found = {tool.name: first}
    for binary in tool.binaries[1:]:
        beside = (folder / binary.name for folder in (first.parent, first.resolve().parent))
        place = next(
            (path for path in (*beside, *_on_path(binary.name, environment)) if _is_program(path)), None
        )
        if place is None:
            return None
        found[binary.name] = place
    return found


def _on_path(name: str, environment: Mapping[str, str]) -> Iterator[Path]:
    """Programs called `name` on PATH, except those that `make setup` itself linked into a checkout."""
    for entry in environment.get("PATH", "").split(os.pathsep):
        folder = Path(entry)
        if folder.is_absolute() and folder.parts[-2:] != CHECKOUT_BIN.parts and _is_program(folder / name):
            yield folder / name


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _version(program: Path, tool: Tool, environment: Mapping[str, str]) -> tuple[int, ...] | None:
    """What the program says of itself; None when it cannot be run or says no number."""
    try:
        answer = subprocess.run(
            [program, *tool.version_arguments],
            env={**environment, "PULUMI_SKIP_UPDATE_CHECK": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=VERSION_TIMEOUT_S,
            check=True,
            text=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return version_tuple(answer.stdout)
