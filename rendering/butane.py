"""Butane text -> Ignition JSON, through the real `butane` binary, warnings refused."""

import os
import shutil
import subprocess
from concurrent.futures import Future
from pathlib import Path
from threading import Lock

from rendering.errors import ButaneError, ButaneMissingError
from rendering.ignition import canonical

_PROJECT_ROOT = Path(__file__).resolve().parent.parent
_TIMEOUT_S = 60

_Key = tuple[str, Path, tuple[tuple[str, int, int, int], ...], Path]
_results: dict[_Key, "Future[str]"] = {}
_lock = Lock()


def find_butane() -> Path:
    """Return the butane binary: $RAYA_BUTANE, then PATH, then the one `make setup` built.

    Raises:
        ButaneMissingError: says where it was looked for and what to do.
    """
    stated = os.environ.get("RAYA_BUTANE")
    if stated:
        if not os.access(stated, os.X_OK):
            raise ButaneMissingError(f"RAYA_BUTANE names {stated}, which is not a program that can be run.")
        return Path(stated)
    on_path = shutil.which("butane")
    if on_path:
        return Path(on_path)
    built = _PROJECT_ROOT / ".raya" / "bin" / "butane"
    if os.access(built, os.X_OK):
        return built
    raise ButaneMissingError(
        f"butane was found neither on PATH nor as {built}. Run `make setup`, or install butane "
        "(https://coreos.github.io/butane/) and put it on PATH, or name it in RAYA_BUTANE."
    )


def to_ignition(text: str, *, files_dir: Path, butane: Path | None = None) -> str:
    """Return the compact Ignition JSON of one Butane config, in its canonical form.

    `files_dir` is where `local:` paths of trees and files start. Runs once per distinct text and unchanged
    folder, however many threads ask (a run takes about 8 ms).

    Raises:
        ButaneError: butane's own report, which names the line; warnings count as errors.
        ButaneMissingError: there is no butane.
    """
    program = butane or find_butane()
    key = (text, files_dir.resolve(), _fingerprint(files_dir), program)
    with _lock:
        future = _results.get(key)
        mine = future is None
        if future is None:
            future = _results[key] = Future()
    if mine:
        try:
            future.set_result(_run(program, text, files_dir))
        except BaseException as error:
            with _lock:
                del _results[key]
            future.set_exception(error)
    return future.result()


def _run(program: Path, text: str, files_dir: Path) -> str:
    command = [str(program), "--strict", "--files-dir", str(files_dir)]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ButaneError(f"{program} could not be run: {error}.") from error
    report = done.stderr.decode(errors="replace").strip()
    if done.returncode != 0 or report:
        raise ButaneError(f"butane refuses the config (line numbers count in the rendered text): {report}")
    return canonical(done.stdout.decode())


def _fingerprint(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Path, time, size and mode of everything below a folder: an edited file must not meet an old result."""
    entries = []
    for path in sorted(folder.rglob("*")):
        stat = path.lstat()
        entries.append((str(path.relative_to(folder)), stat.st_mtime_ns, stat.st_size, stat.st_mode))
    return tuple(entries)
