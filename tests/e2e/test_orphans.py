"""`make orphans` before a stack has made anything, and when it is no more."""

from __future__ import annotations

from tests.cloud import TOKEN
from tests.e2e.engine import STACK, Engine


def test_only_the_snapshots_are_there_before_the_first_update(engine: Engine) -> None:
    _, *rows, summed = engine.orphans().splitlines()
    assert {row.split()[0] for row in rows} == {"snapshot"}
    assert summed.startswith("sum in EUR ")


def test_a_removed_stack_is_named_with_the_way_to_look_all_the_same(engine: Engine) -> None:
    engine.pulumi("stack", "rm", "--yes", "--preserve-config", STACK)
    status, said = engine.command("raya.orphans")
    assert status == 1
    assert said.startswith(f"raya: there is no stack {STACK} in this backend: it was never made, or it was")
    assert "set HCLOUD_TOKEN" in said
    engine.environment["HCLOUD_TOKEN"] = TOKEN
    assert "snapshot" in engine.orphans()
