"""The suite's own promises: where it runs, and that it leaves nothing behind."""

from __future__ import annotations

import hcloud
import pytest

from tests.cloud import TOKEN, RunningCloud
from tests.conformance import targets
from tests.conformance.google_things import GoogleThings
from tests.conformance.hetzner_offer import find_offer
from tests.conformance.hetzner_things import HetznerThings
from tests.conformance.run import Belongings, Run
from tests.conformance.sweep import main as sweep
from tests.conformance.targets import TargetError
from tests.discovery import Google

REAL = {"CONFORMANCE_HCLOUD_ENDPOINT": "https://api.hetzner.example/v1/", "HCLOUD_TOKEN": TOKEN}
GOOGLE = {
    "CONFORMANCE_GOOGLE_PROJECT": "mine",
    "CONFORMANCE_GOOGLE_DOMAIN": "example.org.",
    "GOOGLE_OAUTH_ACCESS_TOKEN": "secret-token",
}


def test_a_token_alone_chooses_no_cloud() -> None:
    environment = {"HCLOUD_TOKEN": TOKEN, "HCLOUD_ENDPOINT": "https://api.hetzner.example/v1"}
    assert targets.hetzner_named_by(environment) is None
    assert targets.google_named_by({"GOOGLE_OAUTH_ACCESS_TOKEN": "token", "GOOGLE_PROJECT": "mine"}) is None


def test_named_clouds() -> None:
    hetzner, google = targets.hetzner_named_by(REAL), targets.google_named_by(GOOGLE)
    assert hetzner is not None
    assert (hetzner.endpoint, hetzner.poll_s) == ("https://api.hetzner.example/v1", targets.REAL_POLL_S)
    assert hetzner.server_type == ""
    assert google is not None
    assert (google.endpoint, google.domain, google.may_edit_policy) == (None, "example.org", False)
    assert TOKEN not in repr(hetzner)
    assert "secret-token" not in repr(google)
    allowed = targets.google_named_by({**GOOGLE, "CONFORMANCE_GOOGLE_POLICY": "edit"})
    assert allowed is not None
    assert allowed.may_edit_policy


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"CONFORMANCE_HCLOUD_ENDPOINT": "https://api.hetzner.example/v1"}, "HCLOUD_TOKEN"),
        ({"CONFORMANCE_GOOGLE_ENDPOINT": "http://127.0.0.1:1"}, "CONFORMANCE_GOOGLE_PROJECT"),
        ({**GOOGLE, "CONFORMANCE_GOOGLE_DOMAIN": ""}, "CONFORMANCE_GOOGLE_DOMAIN"),
        ({**GOOGLE, "GOOGLE_OAUTH_ACCESS_TOKEN": ""}, "GOOGLE_OAUTH_ACCESS_TOKEN"),
        ({**GOOGLE, "CONFORMANCE_GOOGLE_POLICY": "yes"}, "CONFORMANCE_GOOGLE_POLICY"),
    ],
)
def test_a_cloud_named_by_halves_is_refused(environment: dict[str, str], named: str) -> None:
    read = targets.hetzner_named_by if "HCLOUD" in named else targets.google_named_by
    with pytest.raises(TargetError, match=named):
        read(environment)


def test_a_wanted_server_type_is_taken(local_cloud: RunningCloud) -> None:
    client = hcloud.Client(TOKEN, local_cloud.hcloud_endpoint)
    cheapest = find_offer(client)
    assert find_offer(client, str(cheapest.larger.name)).server_type.name == cheapest.larger.name
    with pytest.raises(AssertionError, match="server type cx99 cannot be ordered"):
        find_offer(client, "cx99")


def test_everything_is_given_back_also_after_a_failure() -> None:
    belongings, removed = Belongings(), list[str]()

    def fails() -> None:
        raise RuntimeError("the second one stays")

    belongings.to_remove(lambda: removed.append("first"))
    belongings.to_remove(fails)
    belongings.to_remove(lambda: removed.append("third"))
    with pytest.raises(ExceptionGroup, match="not everything"):
        belongings.give_back()
    assert removed == ["third", "first"]


def test_what_a_killed_run_left_is_found_and_removed(
    local_cloud: RunningCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    killed, other = Run(), Run()
    environment = {
        "CONFORMANCE_HCLOUD_ENDPOINT": local_cloud.hcloud_endpoint,
        "HCLOUD_TOKEN": TOKEN,
        "CONFORMANCE_GOOGLE_ENDPOINT": local_cloud.google_endpoint,
        "CONFORMANCE_GOOGLE_PROJECT": targets.LOCAL_PROJECT,
        "CONFORMANCE_GOOGLE_DOMAIN": targets.LOCAL_DOMAIN,
        "GOOGLE_OAUTH_ACCESS_TOKEN": "any",
    }
    client = hcloud.Client(TOKEN, local_cloud.hcloud_endpoint, poll_interval=targets.LOCAL_POLL_S)
    things = HetznerThings(client, find_offer(client), killed)
    network, volume, firewall = things.network("10.0.1.0/24"), things.volume(), things.firewall()
    server = things.server(networks=[network], firewalls=[firewall])
    volume.attach(server).wait_until_finished()
    volume.change_protection(delete=True).wait_until_finished()
    somebody = HetznerThings(client, find_offer(client), other)
    kept = somebody.placement_group()
    with Google(local_cloud.google_endpoint) as google:
        project = GoogleThings(google, targets.google_of(local_cloud), killed)
        zone, account = project.zone(), project.account()
        zone.change(additions=[zone.record("a", "203.0.113.1")])

    left = [
        f"servers {server.name}",
        f"volumes {volume.name}",
        f"firewalls {firewall.name}",
        f"networks {network.name}",
        f"zone {zone.shown['name']}",
        f"service account {account['email']}",
    ]
    for options, verb in (([], "found"), (["--delete"], "removed")):
        assert sweep(["--run", killed.id, *options], environment) == 0
        assert capsys.readouterr().out.splitlines()[:-1] == [f"{verb} {thing}" for thing in left]
    assert sweep(["--run", killed.id], environment) == 0
    assert capsys.readouterr().out == "0 things\n"
    kept.reload()
    somebody.give_back()


def test_a_sweep_without_a_cloud_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert sweep(["--delete"], {}) == 1
    assert "CONFORMANCE_HCLOUD_ENDPOINT" in capsys.readouterr().err
