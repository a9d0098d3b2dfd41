"""`pulumi up` that makes both machines anew, killed with all that it started at 20 points.

The control plane goes first. Where the first run of a chain has got it past a step, the second one's is the
agent's.
"""

from __future__ import annotations

import pytest

from tests.killing import Point, answered, in_flight, recorded
from tests.kills.story import Story

CHAINS = [
    (recorded(2), answered("POST", "/actions/attach$")),
    (in_flight("POST", "/actions/shutdown$"), in_flight("POST", "/changes$")),
    (answered("POST", "/actions/shutdown$"), in_flight("POST", "/servers$", 2)),
    (in_flight("DELETE", r"/servers/\d+$"), in_flight("POST", "/attach_to_network$", 2)),
    (answered("DELETE", r"/servers/\d+$"), in_flight("POST", "/changes$", 2)),
    (in_flight("POST", "/servers$"), in_flight("POST", "/actions/shutdown$")),
    (answered("POST", "/servers$"), in_flight("DELETE", r"/servers/\d+$")),
    (in_flight("POST", "/attach_to_network$"), answered("DELETE", r"/servers/\d+$")),
    (answered("POST", "/attach_to_network$"), answered("POST", "/servers$")),
    (in_flight("POST", "/actions/attach$"), recorded(6)),
]


@pytest.mark.parametrize("number", range(len(CHAINS)), ids=lambda number: " ".join(map(str, CHAINS[number])))
def test_every_machine_anew(story: Story, number: int) -> None:
    points: tuple[Point, ...] = CHAINS[number]
    story.make_whole()
    kept, join_token = story.kept(), story.engine.outputs(secrets=True)["joinToken"]
    story.rebuild(number)
    for point in points:
        story.killed(point, "up", "--skip-preview")
        story.recover()
        assert kept == story.kept()
    story.engine.up("--skip-preview")
    story.assert_whole()
    assert kept == story.kept()
    assert story.engine.outputs(secrets=True)["joinToken"] == join_token
    story.engine.preview("--expect-no-changes")
    story.ended_well = True
