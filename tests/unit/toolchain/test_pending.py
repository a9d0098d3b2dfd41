"""After a killed destroy, `make up` does not take the state's word for what is there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from tests.unit.toolchain.machine import ROOT

HEAD = "urn:pulumi:local::raya::raya:cluster:Cluster$raya:cluster:DnsZone$gcp:dns/recordSet:RecordSet"


def said(operations: Sequence[tuple[str, str]] | None) -> tuple[int, str]:
    """Exit status and what it prints for a state with these pending operations."""
    deployment = (
        {"resources": []}
        if operations is None
        else {
            "pending_operations": [
                {"type": type_, "resource": {"urn": f"{HEAD}::{name}"}} for type_, name in operations
            ]
        }
    )
    ran = subprocess.run(
        [sys.executable, "-m", "toolchain.pending", "local"],
        cwd=ROOT,
        input=json.dumps({"version": 3, "deployment": deployment}),
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_a_state_without_anything_begun() -> None:
    assert said(None) == (0, "")
    assert said([]) == (0, "")


def test_a_creation_is_the_programs_to_judge() -> None:
    assert said([("creating", "a0")]) == (0, "")


def test_what_was_being_deleted_or_changed_is_named() -> None:
    status, sentence = said([("deleting", "a0"), ("creating", "a1"), ("updating", "cp")])
    assert status == 1
    assert "while it was deleting RecordSet a0, updating RecordSet cp. " in sentence
    assert "`make recover STACK=local`" in sentence


def test_many_are_counted() -> None:
    _, sentence = said([("deleting", f"a{number}") for number in range(6)])
    assert "deleting RecordSet a3 and 2 more. " in sentence
