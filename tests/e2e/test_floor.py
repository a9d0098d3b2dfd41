"""The floor of the bench registers what the real program registers, with the real engine."""

from __future__ import annotations

from tests.bench import recording
from tests.bench.contenders import contenders


def test_the_floor_registers_the_same_with_one_agent() -> None:
    # Its set-up raises what was not registered alike.
    with contenders(1) as (real, floor):
        floor.engine.preview("--expect-no-changes")
        names = {each.name for each in recording.registered(floor.deployment())}
        assert names == {each.name for each in recording.registered(real.deployment())}
        assert {"control-plane", "agent-0", "a0", "cp"} <= names
