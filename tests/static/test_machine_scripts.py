"""The scripts in the overlay: shellcheck, and the shape every one of them has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests import machines

SCRIPTS = sorted(machines.OVERLAY.glob("*/usr/local/bin/*"))
SHELLCHECK = Path(sys.executable).with_name("shellcheck")


def test_there_are_as_many_as_the_boot_needs() -> None:
    assert [script.name for script in SCRIPTS] == [
        "k3s-init",
        "k3s-seed-pki",
        "k3s-sync-manifests",
        "mkfs-k3s-volume",
    ]


def test_shellcheck_has_nothing_to_say() -> None:
    done = subprocess.run(
        [SHELLCHECK, "--enable=all", "--exclude=SC2310,SC2311,SC2312,SC2250,SC2249", *SCRIPTS],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    assert done.returncode == 0


def test_each_says_what_it_does_is_strict_and_has_a_main() -> None:
    for script in SCRIPTS:
        lines = script.read_text().splitlines()
        assert lines[0] == "#!/usr/bin/bash", script
        assert all(line.startswith("# ") for line in lines[1:3]), script
        first = next(line for line in lines if line and not line.startswith("#"))
        assert first == "set -euo pipefail", script
        assert "main() {" in lines
        assert lines[-1] == 'main "$@"'


def test_nothing_switches_shellcheck_off() -> None:
    for script in SCRIPTS:
        assert "shellcheck disable" not in script.read_text()


def test_a_file_another_program_reads_appears_whole() -> None:
    # Every redirection that makes a file goes to a temporary name, which mv puts in place.
    for script in SCRIPTS:
        code = "\n".join(line for line in script.read_text().splitlines() if not line.startswith("#"))
        targets = set(re.findall(r"(?<![0-9&>])>(\"[^\"]+\"|[^\s&|;)]+)", code))
        assert targets <= {'"$temporary"', '"$1"', "/dev/null"}, script
        if targets - {"/dev/null"}:
            assert "mv --force" in script.read_text(), script
