"""The verbs that others rely on."""

from __future__ import annotations

import subprocess
from pathlib import Path

from toolchain import handbook

ROOT = Path(__file__).resolve().parents[2]
PROMISED = """
    setup up down recover purge preview render lint test test-kills test-boot test-kube check bench docs
    orphans env help
"""


def test_every_promised_verb_exists_and_is_explained() -> None:
    printed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for verb in PROMISED.split():
        assert f"make {verb} " in printed, verb
    assert len(printed.splitlines()) == len(handbook.verbs((ROOT / "Makefile").read_text()))


def test_ci_runs_the_same_command_as_people() -> None:
    assert "make check" in (ROOT / ".ci/run").read_text()
    assert "- run: .ci/run\n" in (ROOT / ".github/workflows/check.yaml").read_text()
