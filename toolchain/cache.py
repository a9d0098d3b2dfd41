"""The cache of built tools, outside of the checkout: a tool is there whole or not at all, and built once."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from toolchain.recipes import FOLDER, Tool, ToolchainError

Say = Callable[[str], None]
Build = Callable[[Path], None]


def folder(environment: Mapping[str, str]) -> Path:
    """$RAYA_CACHE/toolchain, else $XDG_CACHE_HOME/raya/toolchain, else ~/.cache/raya/toolchain."""
    if environment.get("RAYA_CACHE"):
        return Path(environment["RAYA_CACHE"]).absolute() / "toolchain"
    if environment.get("XDG_CACHE_HOME"):
        return Path(environment["XDG_CACHE_HOME"]).absolute() / "raya/toolchain"
    if environment.get("HOME"):
        return Path(environment["HOME"]) / ".cache/raya/toolchain"
    raise ToolchainError("there is no place for built tools: set HOME, or RAYA_CACHE to a folder for them.")


def key(tool: Tool) -> str:
    """<tool>-<hash>: changes with what decides the bytes: go.mod, go.sum, the recipe, the machine's kind."""
    recipe = f"{platform.system()} {platform.machine()} {tool.binaries!r} {tool.files!r}"
    digest = hashlib.sha256(" ".join((recipe, *tool.linker_variables)).encode())
    for name in tool.folders:
        for file in ("go.mod", "go.sum"):
            digest.update((FOLDER / name / file).read_bytes())
    return f"{tool.name}-{digest.hexdigest()[:16]}"


def get(tool: Tool, cache: Path, build: Build, say: Say) -> Path:
    """The folder that holds the built `tool`, made by `build(folder)` when it is not there yet.

    A build happens in a folder of its own that is renamed when it is complete, so a killed build leaves
    nothing that could be taken for a tool. A second setup at the same time waits for the first one's result.
    """
    return kept(cache / key(tool), build, lambda: say(f"waiting for another setup that builds {tool.name}"))


def kept(complete: Path, build: Build, on_wait: Callable[[], None]) -> Path:
    """The folder `complete`, made by `build(folder)` when it is not there yet; one process makes it."""
    if complete.is_dir():
        return complete
    complete.parent.mkdir(parents=True, exist_ok=True)
    with lock(complete.with_name(f"{complete.name}.lock"), on_wait):
        if not complete.is_dir():
            _build_whole(complete, build)
    return complete


def _build_whole(complete: Path, build: Build) -> None:
    # Only the holder of the lock comes here: what lies around was left by a build that was killed.
    for leftover in complete.parent.glob(f"{complete.name}.partial-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{complete.name}.partial-", dir=complete.parent))
    try:
        build(partial)
        partial.chmod(0o755)
        partial.rename(complete)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def lock(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold `path` exclusively; the kernel lets go of it when this process ends, however it ends."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
