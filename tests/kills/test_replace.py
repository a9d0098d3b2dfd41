"""`pulumi up` that makes both machines anew, killed with all that it started at 20 points."""

from __future__ import annotations

import pytest

from tests.killing import Point, answered, in_flight, recorded
from tests.kills.story import Story

POINTS = [
    recorded(2),
    in_flight("POST", "/actions/shutdown$"),
    answered("POST", "/actions/shutdown$"),
    in_flight("DELETE", r"/servers/\d+$"),
    answered("DELETE", r"/servers/\d+$"),
    in_flight("POST", "/servers$"),
    answered("POST", "/servers$"),
    in_flight("POST", "/attach_to_network$"),
    answered("POST", "/attach_to_network$"),
    in_flight("POST", "/actions/attach$"),
    answered("POST", "/actions/attach$"),
    in_flight("POST", "/changes$"),
    in_flight("POST", "/actions/shutdown$", 2),
    in_flight("DELETE", r"/servers/\d+$", 2),
    answered("DELETE", r"/servers/\d+$", 2),
    in_flight("POST", "/servers$", 2),
    answered("POST", "/servers$", 2),
    in_flight("POST", "/attach_to_network$", 2),
    in_flight("POST", "/changes$", 2),
    recorded(12),
]


@pytest.mark.parametrize("number", range(len(POINTS)), ids=lambda number: str(POINTS[number]))
def test_every_machine_anew(story: Story, number: int) -> None:
    point: Point = POINTS[number]
    story.make_whole()
    kept, join_token = story.kept(), story.engine.outputs(secrets=True)["joinToken"]
    story.rebuild(number)
    story.killed(point, "up", "--skip-preview")
    story.recover()
    story.engine.up("--skip-preview")
    story.assert_whole()
    assert kept == story.kept()
    assert story.engine.outputs(secrets=True)["joinToken"] == join_token
    story.engine.preview("--expect-no-changes")
    story.ended_well = True
