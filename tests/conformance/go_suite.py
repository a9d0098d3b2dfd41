"""Running the Go suite and reading what it says of each of its tests."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conformance.targets import HetznerTarget

FOLDER = Path(__file__).with_name("go")
# Against the real API; a local cloud takes seconds, and a cold build of the client half a minute.
LONGEST_RUN_S = 35 * 60


@dataclass(frozen=True, kw_only=True)
class GoRun:
    """What `go test` said. `outcomes` has "pass", "fail" or "skip" for each test that ran."""

    outcomes: dict[str, str]
    outputs: dict[str, str]
    status: int
    remarks: str
    """What belongs to no test: errors of the compiler, what was left behind."""


def installed_go() -> str:
    """The `go` on PATH, or where Go's own archive puts it."""
    go = shutil.which("go", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/go/bin"]))
    assert go is not None, "Go is not installed: the suite in Go needs any release from 1.21 on"
    return go


def declared_tests() -> list[str]:
    """The tests that the files declare, without asking the compiler."""
    files = sorted(FOLDER.glob("*_test.go"))
    return [name for file in files for name in re.findall(r"^func (Test\w+)\(t \*", file.read_text(), re.M)]


def run_go(target: HetznerTarget, *options: str) -> GoRun:
    """Run the suite against a target, or the part of it that the options choose."""
    environment = {
        **os.environ,
        "HCLOUD_ENDPOINT": target.endpoint,
        "HCLOUD_TOKEN": target.token,
        "HCLOUD_SERVER_TYPE": target.server_type,
        # A workspace above this checkout has nothing to say here.
        "GOWORK": "off",
        # An older release fetches the one that go.mod asks for, as Go does by itself.
        "GOTOOLCHAIN": "auto",
    }
    done = subprocess.run(
        [installed_go(), "test", "-count=1", "-timeout=30m", "-json", *options, "./..."],
        cwd=FOLDER,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_S,
        check=False,
    )
    return _read(done.stdout.splitlines(), done.stderr, done.returncode)


def _read(lines: Sequence[str], errors: str, status: int) -> GoRun:
    outcomes: dict[str, str] = {}
    outputs: dict[str, str] = defaultdict(str)
    for line in lines:
        event: dict[str, Any] = json.loads(line)
        test = event.get("Test", "")
        if test and event["Action"] in ("pass", "fail", "skip"):
            outcomes[test] = event["Action"]
        outputs[test] += event.get("Output", "")
    return GoRun(outcomes=outcomes, outputs=outputs, status=status, remarks=outputs[""] + errors)
