"""The stand-in for k3s: built once for what its sources say, kept beside the other tools."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from pathlib import Path

from tests.boot.lab.commands import LabError
from toolchain import cache

SOURCES = Path(__file__).parents[1] / "k3s_stand_in"
# A cold build also compiles Go's own TLS and HTTP, and other builds may want the processor too.
LONGEST_BUILD_S = 600
_COMPILED = {".go", ".mod", ".sum", ".yaml"}


def build(cache_folder: Path | None = None) -> Path:
    """The program `k3s`: one static binary, which runs on any Linux of this machine's architecture."""
    kept = cache_folder or cache.folder(os.environ)
    return cache.kept(kept / f"k3s-stand-in-{_key()}", _build, lambda: None) / "k3s"


def _key() -> str:
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()}".encode())
    compiled = sorted(path for path in SOURCES.rglob("*") if path.suffix in _COMPILED)
    for file in (Path(__file__), *compiled):
        digest.update(f"{file.name}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _build(folder: Path) -> None:
    go = shutil.which("go", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/go/bin"]))
    if go is None:
        raise LabError("the stand-in for k3s is built with Go, which is not on PATH: see https://go.dev/dl/")
    # Static, because it runs on another system. A workspace above this checkout has nothing to say here.
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "auto"}
    command = [go, "build", "-mod=readonly", "-buildvcs=false", "-ldflags", "-s -w"]
    done = subprocess.run(
        [*command, "-o", str(folder / "k3s"), "."],
        cwd=SOURCES,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_BUILD_S,
        check=False,
    )
    if done.returncode != 0:
        raise LabError(f"`{' '.join(command)}` failed in {SOURCES}:\n{done.stderr.strip()}")
