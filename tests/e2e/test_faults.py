"""Clouds that fail in the middle: what is said, what is kept, and that the next run goes on. One story."""

from __future__ import annotations

import pytest

from tests import by_hand
from tests.cloud import RunningCloud
from tests.e2e.engine import Engine


def _servers(cloud: RunningCloud) -> dict[str, int]:
    return {each["name"]: each["id"] for each in cloud.hetzner("servers")}


def _failed(engine: Engine, *arguments: str) -> str:
    ran = engine.up("--skip-preview", *arguments, check=False)
    assert ran.returncode != 0
    shown = " ".join((ran.stdout + ran.stderr).split())
    assert "Traceback" not in shown
    return shown


@pytest.fixture(autouse=True)
def _no_fault_stays(cloud: RunningCloud) -> None:
    cloud.clear_faults()


def test_a_first_run_through_bad_weather_names_what_failed(engine: Engine, cloud: RunningCloud) -> None:
    """D4: an account that appears late; an etag conflict; slow DNS; the API's quota spent for a while."""
    engine.fleet({}, {})
    cloud.settings(dnsChangeSeconds=1.0)
    cloud.fault("late_account", misses=4, times=2)
    cloud.fault("status", method="POST", path=":setIamPolicy$", status=409, code="aborted", times=3)
    cloud.fault("status", path="/hcloud/v1/", status=429, code="rate_limit_exceeded", nth=10, times=3)
    cloud.fault("status", method="POST", path="/servers$", name="agent-1", status=500, code="server_error")
    shown = _failed(engine, "--continue-on-error")
    assert "agent-1" in shown
    assert "server_error" in shown
    assert set(_servers(cloud)) == {"control-plane", "agent-0"}
    assert len(by_hand.members(cloud)) == 2


def test_h7_its_own_beginning_is_in_nobodys_way_and_only_the_rest_is_made(
    engine: Engine, cloud: RunningCloud
) -> None:
    """The outputs of a first run that failed do not tell what is its own: the state does."""
    before = _servers(cloud)
    engine.up("--skip-preview")
    assert before.items() <= _servers(cloud).items()
    assert set(_servers(cloud)) == {"control-plane", "agent-0", "agent-1"}
    cloud.settings(dnsChangeSeconds=0.03)
    engine.preview("--expect-no-changes")


def test_each_of_several_failures_is_named_and_a_lost_answer_comes_before_the_next_change(
    engine: Engine, cloud: RunningCloud
) -> None:
    before = _servers(cloud)
    engine.fleet(*[{}] * 6)
    cloud.fault("drop", method="POST", path="/servers$", name="agent-2")
    cloud.fault("action", command="create_server", name="agent-3", code="action_failed")
    cloud.fault("action", command="start_server", name="agent-4", code="action_failed")
    cloud.fault(
        "status",
        method="POST",
        path="/servers$",
        name="agent-5",
        status=403,
        code="resource_limit_exceeded",
    )
    shown = _failed(engine, "--continue-on-error")
    for says in (
        "agent-2",
        "agent-3",
        "action create_server failed: action_failed",
        "agent-4",
        "action start_server failed: action_failed",
        "agent-5",
        "resource_limit_exceeded",
    ):
        assert says in shown
    lost = by_hand.the(cloud, "servers", "agent-2")
    # What is in the state is no stranger, and what is not is found.
    assert set(_servers(cloud)) == {*before, "agent-2", "agent-4"}
    mark = len(cloud.events())
    shown = _failed(engine)
    assert f"already has the server agent-2 ({lost['id']}), labelled cluster=local" in shown
    assert "`make recover STACK=test`" in shown
    assert cloud.events()[mark:] == []


def test_a_refresh_forgets_what_failed_and_the_next_run_makes_it(engine: Engine, cloud: RunningCloud) -> None:
    """A creation that ended in an error left nothing, and a start that did left a machine that is off."""
    before = _servers(cloud)
    # What `make recover` does with it.
    cloud.delete_server("agent-2")
    engine.pulumi("refresh", "--yes", "--skip-preview")
    engine.up("--skip-preview", "--replace", "**hcloud:index/server:Server::agent-4")
    after = _servers(cloud)
    kept = {"control-plane", "agent-0", "agent-1"}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert len(after) == 7
    assert {each["status"] for each in cloud.hetzner("servers")} == {"running"}
    engine.preview("--expect-no-changes")


def test_a_limit_in_the_settings_comes_before_the_first_create(engine: Engine, cloud: RunningCloud) -> None:
    engine.configure("raya:limits.servers", "7")
    engine.fleet(*[{}] * 7)
    mark = len(cloud.events())
    assert (
        "the Hetzner project has 7 servers and this update would make 1 more, 1 server too many"
        in _failed(engine)
    )
    assert cloud.events()[mark:] == []
    engine.configure("raya:limits.servers", "8")


def test_h7_a_type_out_of_stock_stops_what_needs_it_and_an_announced_end_is_a_warning(
    engine: Engine, cloud: RunningCloud
) -> None:
    cloud.settings(soldOut=["cx23@hel1"])
    engine.fleet(*[{}] * 7)
    mark = len(cloud.events())
    shown = _failed(engine)
    assert "agent-6: the server type cx23 is out of stock in hel1 at the moment; it is in fsn1, nbg1" in shown
    assert "hel1 has cpx22, ccx13, cpx32, cx33, ccx23 and" in shown
    assert "more (x86, at least 2 cores and 4 GB)" in shown
    engine.fleet(*[{}] * 6)
    cloud.settings(soldOut=[], leaving={"cx23@hel1": "2099-12-31T00:00:00Z"})
    shown = engine.preview("--expect-no-changes").stdout
    assert "agent-1 and 4 more: the server type cx23 is sold in hel1 until 2099-12-31 only" in shown
    cloud.settings(soldOut=["cx23@hel1"], leaving={})
    path = engine.folder / "butane" / "overlay" / "agent" / "etc" / "systemd" / "system" / "k3s-agent.service"
    text = path.read_text()
    path.write_text(text + "# changed\n")
    refused = engine.preview(check=False)
    assert refused.returncode != 0
    assert "this update would delete agent-0" in " ".join((refused.stdout + refused.stderr).split())
    path.write_text(text)
    assert cloud.events()[mark:] == []
    cloud.settings(soldOut=[])


def test_d1_what_external_dns_writes_while_the_zone_goes_costs_one_more_run(
    engine: Engine, cloud: RunningCloud
) -> None:
    parent = [each for each in cloud.records("example.org.") if each["name"] == "example.org."]
    for name in ("*.apps.k8s.example.org.", "a-hello.k8s.example.org."):
        cloud.add_record("k8s.example.org.", name, "A", ["203.0.113.99"])
        cloud.add_record(
            "k8s.example.org.", name, "TXT", ['"heritage=external-dns,external-dns/owner=local"']
        )
    cloud.fault(
        "status",
        method="DELETE",
        path="/managedZones/raya-k8s-example-org$",
        status=400,
        code="containerNotEmpty",
    )
    accounts = {each["email"] for each in by_hand.accounts(cloud)}
    failed = engine.destroy("--exclude-protected", check=False)
    assert failed.returncode != 0
    assert "containerNotEmpty" in failed.stdout + failed.stderr
    assert cloud.hetzner("servers") == []
    engine.destroy("--exclude-protected")
    assert [zone["dnsName"] for zone in cloud.zones()] == ["example.org."]
    assert cloud.records("example.org.") == parent
    assert not {each["email"] for each in by_hand.accounts(cloud)} & accounts


def test_d4_accounts_of_a_cluster_that_comes_back_have_other_ids(engine: Engine, cloud: RunningCloud) -> None:
    """A deleted member stays in the policy for a while; the same id again would meet it."""
    created = [each["subject"] for each in cloud.events() if each["event"] == "account.create"]
    engine.fleet()
    engine.up("--skip-preview")
    again = {each["email"].partition("@")[0] for each in by_hand.accounts(cloud)}
    assert len(again) == 2
    assert not [text for text in created if any(name in text for name in again)]
