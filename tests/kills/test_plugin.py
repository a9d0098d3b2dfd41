"""A plugin that is killed while the engine goes on: the answer is lost, and the state does not say so."""

from __future__ import annotations

import pytest

from tests.killing import Point, answered, in_flight
from tests.kills.story import Story

# The component external-dns is switched off and on again: an account with a key and a role goes or comes, and
# the control plane is made anew. Each chain: the plugin that is killed, and when.
OFF = [
    (("hcloud", in_flight("POST", "/actions/shutdown$")), ("gcp", in_flight("POST", "/changes$"))),
    (("hcloud", answered("POST", "/actions/shutdown$")), ("gcp", in_flight("DELETE", "/keys/"))),
    (("hcloud", in_flight("DELETE", r"/servers/\d+$")), ("gcp", in_flight("POST", ":setIamPolicy$"))),
    (
        ("hcloud", answered("DELETE", r"/servers/\d+$")),
        ("gcp", in_flight("DELETE", "/serviceAccounts/[^/]*$")),
    ),
    (("hcloud", in_flight("POST", "/servers$")), ("gcp", answered("DELETE", "/serviceAccounts/[^/]*$"))),
]
ON = [
    (("gcp", in_flight("POST", "/serviceAccounts$")), ("hcloud", answered("POST", "/servers$"))),
    (("gcp", answered("POST", "/serviceAccounts$")), ("hcloud", in_flight("POST", "/attach_to_network$"))),
    (("gcp", in_flight("POST", "/keys$")), ("hcloud", answered("POST", "/attach_to_network$"))),
    (("gcp", answered("POST", "/keys$")), ("hcloud", in_flight("POST", "/actions/attach$"))),
    (("gcp", in_flight("POST", ":setIamPolicy$")), ("hcloud", answered("POST", "/actions/attach$"))),
]
Chain = tuple[tuple[str, Point], ...]


@pytest.mark.parametrize(("off", "on"), list(zip(OFF, ON, strict=True)), ids=lambda chain: str(chain[0][1]))
def test_lost_answers(story: Story, off: Chain, on: Chain) -> None:
    story.make_whole()
    kept = story.kept()
    for chain, switched_on in ((off, False), (on, True)):
        story.switch("external-dns", on=switched_on)
        for plugin, point in chain:
            story.killed(point, "up", "--skip-preview", only=f"localcloud.plugins.{plugin}")
            story.recover()
            assert kept == story.kept()
        story.engine.up("--skip-preview")
        story.assert_whole(accounts=2 if switched_on else 1)
        assert kept == story.kept()
        story.engine.preview("--expect-no-changes")
    story.ended_well = True
