"""Go programs that help the tests: built once for what their sources say, kept beside the other tools."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path

from tests.commands import LabError
from toolchain import cache

# A cold build also compiles what the program is made of, and other builds may want the processor too.
LONGEST_BUILD_S = 1800
_COMPILED = {".go", ".mod", ".sum", ".yaml"}


def build(sources: Path, name: str) -> Path:
    """The program `name`, built from the module in `sources`: static, for any Linux of this architecture."""
    place = cache.folder(os.environ) / f"{sources.name.replace('_', '-')}-{_key(sources)}"
    return cache.kept(place, lambda folder: _build(sources, folder / name), lambda: None) / name


def _key(sources: Path) -> str:
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()}".encode())
    compiled = sorted(path for path in sources.rglob("*") if path.suffix in _COMPILED)
    for file in (Path(__file__), *compiled):
        digest.update(f"{file.name}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _build(sources: Path, program: Path) -> None:
    go = shutil.which("go", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/go/bin"]))
    if go is None:
        raise LabError(f"{sources.name} is built with Go, which is not on PATH: see https://go.dev/dl/")
    # Static, because it may run on another system. A workspace above this checkout has nothing to say here.
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "auto"}
    command = [go, "build", "-mod=readonly", "-buildvcs=false", "-ldflags", "-s -w"]
    done = subprocess.run(
        [*command, "-o", str(program), "."],
        cwd=sources,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_BUILD_S,
        check=False,
    )
    if done.returncode != 0:
        raise LabError(f"`{' '.join(command)}` failed in {sources}:\n{done.stderr.strip()}")
