"""`pulumi up` of a new cluster and its destroy, each killed with all that it started, at 20 points.

Every run of a chain is killed, and recovered from; the first one after it must finish the work.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.killing import Point, answered, in_flight, recorded
from tests.kills.story import KEPT, NOTHING, Story


class Round(NamedTuple):
    """``first``: of `pulumi destroy --exclude-protected`; ``second``: when all has been unprotected."""

    up: tuple[Point, ...]
    first: tuple[Point, ...]
    second: tuple[Point, ...] = ()


ROUNDS = [
    Round(
        (recorded(1), in_flight("POST", "/keys$")),
        (recorded(1), answered("DELETE", r"/servers/\d+$", 2)),
    ),
    Round(
        (in_flight("POST", "/networks$"), answered("POST", "/keys$", 2)),
        (in_flight("POST", "-k8s-example-org/changes$"), in_flight("DELETE", "/keys/")),
    ),
    Round(
        (answered("POST", "/networks$"), in_flight("POST", ":setIamPolicy$", 2)),
        (answered("POST", "-k8s-example-org/changes$"), in_flight("POST", ":setIamPolicy$")),
    ),
    Round(
        (in_flight("POST", "/firewalls$"), in_flight("POST", "/servers$")),
        (in_flight("POST", "/actions/shutdown$"), in_flight("DELETE", "/serviceAccounts/[^/]*$")),
    ),
    Round(
        (in_flight("POST", "/volumes$"), answered("POST", "/servers$")),
        (answered("POST", "/actions/shutdown$"), in_flight("POST", "/example-org/changes$")),
    ),
    Round(
        (answered("POST", "/volumes$"), in_flight("POST", "/attach_to_network$")),
        (in_flight("DELETE", r"/servers/\d+$"), in_flight("POST", "/delete_subnet$")),
    ),
    Round(
        (in_flight("POST", "/managedZones$"), in_flight("POST", "/actions/attach$")),
        (answered("DELETE", r"/servers/\d+$"), in_flight("DELETE", "/networks/")),
    ),
    Round(
        (in_flight("POST", "/add_subnet$"), in_flight("POST", "-k8s-example-org/changes$")),
        (in_flight("POST", "/actions/shutdown$", 2), in_flight("DELETE", "/firewalls/")),
    ),
    Round(
        (in_flight("POST", "/serviceAccounts$", 2), answered("POST", "/servers$", 2)),
        (in_flight("DELETE", r"/servers/\d+$", 2), in_flight("DELETE", "/managedZones/")),
        (in_flight("DELETE", "/volumes/"),),
    ),
    Round(
        (in_flight("POST", "/example-org/changes$"), in_flight("POST", "/attach_to_network$", 2)),
        (),
        (answered("DELETE", "/volumes/"),),
    ),
]


@pytest.mark.parametrize("points", ROUNDS, ids=lambda points: " ".join(map(str, points.up)))
def test_a_new_cluster_and_its_end(story: Story, points: Round) -> None:
    for point in points.up:
        story.killed(point, "up", "--skip-preview")
        story.recover()
    kept = story.kept()
    story.engine.up("--skip-preview")
    story.assert_whole()
    assert kept <= story.kept()
    story.engine.preview("--expect-no-changes")

    kept, first_step = story.kept(), ["--exclude-protected", "--skip-preview"]
    for point in points.first:
        story.killed(point, "destroy", *first_step)
        story.recover()
    story.engine.destroy(*first_step)
    story.assert_gone(KEPT)
    assert kept == story.kept()
    story.engine.pulumi("state", "unprotect", "--all", "--yes")
    for point in points.second:
        story.killed(point, "destroy", "--skip-preview")
        story.recover()
    story.engine.destroy("--skip-preview")
    story.assert_gone(NOTHING)
    assert not story.state().get("resources")
    story.ended_well = True
