"""Puts the stand-in plugins into one PULUMI_HOME, where the engine finds them and no other stack can."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from .guard import MARKER
from .versions import NAMES, sdk_version

PROJECT_ROOT = Path(__file__).resolve().parents[2]


def install(pulumi_home: Path) -> list[Path]:
    """Write `plugins/resource-<name>-v<version>/pulumi-resource-<name>` for each stand-in; return the files.

    The version is the installed SDK's, so the engine neither warns nor downloads. Safe to repeat. Each file
    runs this Python's `localcloud.plugins.<name>`, which itself refuses to start without the marker.
    """
    return [_install_one(pulumi_home, name) for name in NAMES]


def _install_one(pulumi_home: Path, name: str) -> Path:
    folder = pulumi_home / "plugins" / f"resource-{name}-v{sdk_version(name)}"
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / f"pulumi-resource-{name}"
    text = _wrapper(name)
    if not script.exists() or script.read_text() != text:
        written = script.with_suffix(".new")
        written.write_text(text)
        written.chmod(0o755)
        written.replace(script)
    return script


def _wrapper(name: str) -> str:
    root, python = shlex.quote(str(PROJECT_ROOT)), shlex.quote(sys.executable)
    return (
        "#!/bin/sh\n"
        f"# The local cloud's stand-in for the {name} provider; it starts only with {MARKER}=1.\n"
        f'PYTHONPATH={root} exec {python} -m localcloud.plugins.{name} "$@"\n'
    )
