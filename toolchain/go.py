"""The Go compiler: found, checked, run with progress lines."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from toolchain.recipes import (
    FOLDER,
    Binary,
    ModuleFile,
    Tool,
    ToolchainError,
    go_directive,
    module_version,
    version_tuple,
)

PROGRESS_EVERY_S = 10
# From this release on, Go fetches the newer release that a go.mod asks for, unless GOTOOLCHAIN=local.
FIRST_GO_THAT_UPGRADES_ITSELF = (1, 21)
INSTALL_GO = "install Go from https://go.dev/dl/ (or your package manager, when it is new enough)"
HOW_TO_INSTALL = {
    "pulumi": "install Pulumi with `curl -fsSL https://get.pulumi.com | sh`",
    "butane": "install Butane from https://coreos.github.io/butane/getting-started/",
    "ignition-validate": "install ignition-validate from https://github.com/coreos/ignition/releases",
}

Say = Callable[[str], None]


def find(tool: Tool, environment: Mapping[str, str]) -> Path:
    """The `go` on PATH that can build `tool`; ToolchainError with one sentence when there is none."""
    needed = max(
        (go_directive(binary.folder) for binary in tool.binaries), key=lambda text: version_tuple(text) or ()
    )
    wanted = f"{tool.name} {tool.version} or newer is not on PATH and building it needs Go {needed} or newer"
    program = shutil.which("go", path=environment.get("PATH", ""))
    if program is None:
        raise ToolchainError(f"{wanted}, which is not on PATH either: {_ways_out(tool)}.")
    have = version_tuple(_ask(Path(program), ["env", "GOVERSION"], environment)) or ()
    if have < (version_tuple(needed) or ()) and not _upgrades_itself(Path(program), have, environment):
        has = ".".join(map(str, have)) or "an unknown version"
        raise ToolchainError(f"{wanted}, but {program} is Go {has}: {_ways_out(tool)}.")
    return Path(program)


def build(
    go: Path, tool: Tool, binary: Binary, target: Path, environment: Mapping[str, str], say: Say
) -> None:
    """Build `binary` of `tool` into the file `target` with progress lines; ToolchainError has Go's words."""
    version = module_version(binary.folder, binary.module)
    variables = [f"{binary.version_variable}=v{version}"] if binary.version_variable else []
    linker = ["-s", "-w"]
    for variable in (*variables, *tool.linker_variables):
        linker += ["-X", variable]
    command = [
        str(go), "build", "-v", "-mod=readonly", "-buildvcs=false", "-ldflags", " ".join(linker),
        "-o", str(target), f"{binary.module}/{binary.package}",
    ]  # fmt: skip
    run_with_progress(command, FOLDER / binary.folder, environment, f"building {binary.name} {version}", say)


def require_headers(go: Path, tool: Tool, environment: Mapping[str, str]) -> None:
    """ToolchainError with one sentence when the C compiler that Go uses is missing or lacks a header."""
    if not tool.headers:
        return
    compiler = _ask(go, ["env", "CC"], environment).split() or ["cc"]
    what = f"building {tool.name} {tool.version} needs"
    again = f"then run `make setup TOOLS={tool.name}` again"
    if shutil.which(compiler[0], path=environment.get("PATH", "")) is None:
        raise ToolchainError(
            f"{what} the C compiler {compiler[0]}, which is not on PATH: install it "
            f"(Debian: `apt-get install gcc libc6-dev`), {again}."
        )
    for header in tool.headers:
        look = [*compiler, "-E", "-include", header.file, "-x", "c", os.devnull, "-o", os.devnull]
        if subprocess.run(look, env=environment, capture_output=True, check=False).returncode != 0:
            raise ToolchainError(
                f"{what} the header {header.file}, which {compiler[0]} does not find: install it "
                f"(Debian: `apt-get install {header.package}`), {again}."
            )


def copy_module_file(go: Path, file: ModuleFile, folder: Path, environment: Mapping[str, str]) -> None:
    """Copy `file` out of its (downloaded, checksummed) module into `folder`, executable."""
    place = _ask(
        go, ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", file.module], environment, FOLDER / file.folder
    )
    target = folder / Path(file.path).name
    shutil.copyfile(Path(place) / file.path, target)
    target.chmod(0o755)


def run_with_progress(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], what: str, say: Say
) -> None:
    """Run `command` in `folder`, saying `what` with seconds and packages done; never leaves it running."""
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        lines = _follow(
            process, lambda count: say(f"{what}: {time.monotonic() - started:.0f} s, {count} packages")
        )
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()
    if process.returncode != 0:
        raise ToolchainError(f"{what} failed (`{' '.join(command)}` in {folder}):\n" + "\n".join(lines[-20:]))


def _follow(process: subprocess.Popen[str], tick: Callable[[int], None]) -> list[str]:
    """Every line the process writes to stderr, with a tick at least every PROGRESS_EVERY_S seconds."""
    assert process.stderr is not None
    source = process.stderr
    pending: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in source:
            pending.put(line.rstrip())
        pending.put(None)

    threading.Thread(target=read, daemon=True).start()
    lines: list[str] = []
    next_tick = time.monotonic() + PROGRESS_EVERY_S
    while True:
        try:
            line = pending.get(timeout=max(0.0, next_tick - time.monotonic()))
        except queue.Empty:
            tick(len(lines))
            next_tick += PROGRESS_EVERY_S
            continue
        if line is None:
            return lines
        lines.append(line)


def _upgrades_itself(go: Path, have: tuple[int, ...], environment: Mapping[str, str]) -> bool:
    return have >= FIRST_GO_THAT_UPGRADES_ITSELF and _ask(go, ["env", "GOTOOLCHAIN"], environment) != "local"


def _ways_out(tool: Tool) -> str:
    install_tool = HOW_TO_INSTALL.get(tool.name, f"install {tool.name}")
    return f"{install_tool}, or {INSTALL_GO}, then run `make setup` again"


def _ask(
    go: Path, arguments: Sequence[str], environment: Mapping[str, str], folder: Path = Path(os.sep)
) -> str:
    """What `go <arguments>` prints in `folder` (the root by default: outside of any module)."""
    answer = subprocess.run(
        [go, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise ToolchainError(f"`{go} {' '.join(arguments)}` failed: {answer.stderr.strip()}")
    return answer.stdout.strip()
