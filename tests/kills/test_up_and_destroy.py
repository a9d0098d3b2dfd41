"""`pulumi up` of a new cluster and its destroy, each killed with all that it started, 20 points of each."""

from __future__ import annotations

import pytest

from tests.killing import Point, answered, in_flight, recorded
from tests.kills.story import KEPT, NOTHING, Story

UP = [
    recorded(1),
    in_flight("POST", "/networks$"),
    answered("POST", "/networks$"),
    in_flight("POST", "/firewalls$"),
    in_flight("POST", "/volumes$"),
    answered("POST", "/volumes$"),
    in_flight("POST", "/managedZones$"),
    in_flight("POST", "/add_subnet$"),
    in_flight("POST", "/serviceAccounts$", 2),
    in_flight("POST", "/example-org/changes$"),
    in_flight("POST", "/keys$"),
    answered("POST", "/keys$", 2),
    in_flight("POST", ":setIamPolicy$", 2),
    in_flight("POST", "/servers$"),
    answered("POST", "/servers$"),
    in_flight("POST", "/attach_to_network$"),
    in_flight("POST", "/actions/attach$"),
    in_flight("POST", "-k8s-example-org/changes$"),
    answered("POST", "/servers$", 2),
    in_flight("POST", "/attach_to_network$", 2),
]
# What `pulumi destroy --exclude-protected` asks of the clouds.
FIRST_STEP = [
    recorded(1),
    in_flight("POST", "-k8s-example-org/changes$"),
    answered("POST", "-k8s-example-org/changes$"),
    in_flight("POST", "/actions/shutdown$"),
    answered("POST", "/actions/shutdown$"),
    in_flight("DELETE", r"/servers/\d+$"),
    answered("DELETE", r"/servers/\d+$"),
    in_flight("POST", "/actions/shutdown$", 2),
    in_flight("DELETE", r"/servers/\d+$", 2),
    answered("DELETE", r"/servers/\d+$", 2),
    in_flight("DELETE", "/keys/"),
    in_flight("POST", ":setIamPolicy$"),
    in_flight("DELETE", "/serviceAccounts/[^/]*$"),
    in_flight("POST", "/example-org/changes$"),
    in_flight("POST", "/delete_subnet$"),
    in_flight("DELETE", "/networks/"),
    in_flight("DELETE", "/firewalls/"),
    in_flight("DELETE", "/managedZones/"),
]
# And the second one, when all has been unprotected.
SECOND_STEP = [in_flight("DELETE", "/volumes/"), answered("DELETE", "/volumes/")]
ROUNDS = list(zip(UP, [*FIRST_STEP, *SECOND_STEP], strict=True))


@pytest.mark.parametrize(("up", "destroy"), ROUNDS, ids=str)
def test_a_new_cluster_and_its_end(story: Story, up: Point, destroy: Point) -> None:
    story.killed(up, "up", "--skip-preview")
    kept = story.kept()
    story.recover()
    story.engine.up("--skip-preview")
    story.assert_whole()
    assert kept <= story.kept()
    story.engine.preview("--expect-no-changes")

    kept, first_step = story.kept(), ["--exclude-protected", "--skip-preview"]
    if destroy in FIRST_STEP:
        story.killed(destroy, "destroy", *first_step)
        story.recover()
    story.engine.destroy(*first_step)
    story.assert_gone(KEPT)
    assert kept == story.kept()
    story.engine.pulumi("state", "unprotect", "--all", "--yes")
    if destroy in SECOND_STEP:
        story.killed(destroy, "destroy", "--skip-preview")
        story.recover()
    story.engine.destroy("--skip-preview")
    story.assert_gone(NOTHING)
    assert not story.state().get("resources")
    story.ended_well = True
