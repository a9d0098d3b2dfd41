"""A plugin that is killed while the engine goes on: the answer is lost, and the state does not say so."""

from __future__ import annotations

import pytest

from tests.killing import Point, answered, in_flight
from tests.kills.story import Story

# The component external-dns is switched off and on again: an account with a key and a role goes or comes, and
# the control plane is made anew.
OFF = [
    ("hcloud", in_flight("POST", "/actions/shutdown$")),
    ("hcloud", answered("POST", "/actions/shutdown$")),
    ("hcloud", in_flight("DELETE", r"/servers/\d+$")),
    ("hcloud", answered("DELETE", r"/servers/\d+$")),
    ("hcloud", in_flight("POST", "/servers$")),
    ("gcp", in_flight("POST", "/changes$")),
    ("gcp", in_flight("DELETE", "/keys/")),
    ("gcp", in_flight("POST", ":setIamPolicy$")),
    ("gcp", in_flight("DELETE", "/serviceAccounts/[^/]*$")),
    ("gcp", answered("DELETE", "/serviceAccounts/[^/]*$")),
]
ON = [
    ("gcp", in_flight("POST", "/serviceAccounts$")),
    ("gcp", answered("POST", "/serviceAccounts$")),
    ("gcp", in_flight("POST", "/keys$")),
    ("gcp", answered("POST", "/keys$")),
    ("gcp", in_flight("POST", ":setIamPolicy$")),
    ("hcloud", answered("POST", "/servers$")),
    ("hcloud", in_flight("POST", "/attach_to_network$")),
    ("hcloud", answered("POST", "/attach_to_network$")),
    ("hcloud", in_flight("POST", "/actions/attach$")),
    ("hcloud", answered("POST", "/actions/attach$")),
]
ROUNDS = [each for off, on in zip(OFF, ON, strict=True) for each in ((False, *off), (True, *on))]


@pytest.mark.parametrize(
    ("switched_on", "plugin", "point"),
    ROUNDS,
    ids=lambda value: str(value).replace("True", "on").replace("False", "off"),
)
def test_a_lost_answer(story: Story, switched_on: bool, plugin: str, point: Point) -> None:
    story.switch("external-dns", on=not switched_on)
    story.make_whole()
    kept = story.kept()
    story.switch("external-dns", on=switched_on)
    story.killed(point, "up", "--skip-preview", only=f"localcloud.plugins.{plugin}")
    story.recover()
    story.engine.up("--skip-preview")
    story.assert_whole(accounts=2 if switched_on else 1)
    assert kept == story.kept()
    story.engine.preview("--expect-no-changes")
    story.ended_well = True
