"""Butane text -> Ignition JSON, through the real `butane` binary, warnings refused."""

import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from rendering import inline_texts
from rendering.errors import ButaneError, ButaneMissingError
from rendering.ignition import canonical

_PROJECT_ROOT = Path(__file__).resolve().parent.parent
_TIMEOUT_S = 60

_Fingerprint = tuple[tuple[str, int, int, int], ...]


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

    `files_dir` is where `local:` paths of trees and files start. Configs that differ only in the texts of
    their files share one run of butane, as long as the folder is unchanged (a run takes some 30 ms).

    Raises:
        ButaneError: butane's own report, which names the line; warnings count as errors.
        ButaneMissingError: there is no butane.
    """
    program, fingerprint = butane or find_butane(), _fingerprint(files_dir)
    try:
        shape, texts = inline_texts.take_out(text)
        return inline_texts.put_back(_translated(program, shape, files_dir, fingerprint), texts)
    except (inline_texts.NoShapeError, ButaneError):
        # Of the whole, butane's report names the lines that its author knows.
        return _translated(program, text, files_dir, fingerprint)


@lru_cache(maxsize=64)
def _translated(program: Path, text: str, files_dir: Path, fingerprint: _Fingerprint) -> str:
    """The whole of a config; `fingerprint` is there to be another one when a file was edited."""
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


def _fingerprint(folder: Path) -> _Fingerprint:
    """Path, time, size and mode of everything below a folder: an edited file must not meet an old result."""
    # Not with pathlib, which takes twice as long: this is done for every machine.
    walk = os.walk(folder)
    paths = [f"{parent}/{name}" for parent, folders, files in walk for name in (*folders, *files)]
    stats = ((path, os.lstat(path)) for path in sorted(paths))
    return tuple((path, stat.st_mtime_ns, stat.st_size, stat.st_mode) for path, stat in stats)
