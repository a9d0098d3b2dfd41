"""What of both clouds is the cluster's and not in the state, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from raya.recover.checkpoint import Checkpoint
from raya.recover.comparison import OtherAccountError
from raya.recover.plan import Plan
from raya.recover.things import Kind, Thing
from tests.unit.recover import example
from tests.unit.recover.example import OURS, state


def taken(plan: Plan) -> list[str]:
    return [f"{each.thing.kind.noun} {each.record['urn'].rpartition('::')[2]}" for each in plan.take_in]


def of(plan: Plan, kind: Kind) -> dict[str, Any]:
    (record,) = [each.record for each in plan.take_in if each.thing.kind is kind]
    return dict(record)


def test_state_and_clouds_agree() -> None:
    known = state(example.NETWORK, example.SUBNET, example.VOLUME, example.SERVER)
    plan = example.plan(known, example.network(), example.subnet(), example.volume(), example.server())
    assert plan.is_empty
    assert not plan.untouched
    assert not plan.refresh


def test_an_unknown_machine_is_deleted_with_all_that_hangs_on_it() -> None:
    known = state(example.NETWORK, example.SUBNET, example.VOLUME)
    found = [example.server(), example.server_network(), example.volume_attachment()]
    plan = example.plan(known, example.network(), example.subnet(), example.volume(), *found)
    assert [each.name for each in plan.delete] == ["control-plane"]
    assert not plan.take_in


def test_a_machine_of_the_state_keeps_its_attachments_which_are_taken_in() -> None:
    known = state(example.NETWORK, example.SUBNET, example.VOLUME, example.SERVER)
    found = [example.server(), example.server_network(), example.volume_attachment()]
    plan = example.plan(known, example.network(), example.subnet(), example.volume(), *found)
    assert not plan.delete
    assert taken(plan) == ["network attachment control-plane", "volume attachment control-plane"]
    attachment = of(plan, Kind.SERVER_NETWORK)
    assert attachment["parent"] == example.NODE
    assert attachment["deletedWith"] == example.SERVER["urn"]
    assert attachment["dependencies"] == [example.SERVER["urn"], example.SUBNET["urn"]]
    assert attachment["provider"] == f"{example.HEAD}pulumi:providers:hcloud::default::hcloud-id"
    assert plan.refresh == [each.record["urn"] for each in plan.take_in]


def test_what_hangs_on_a_machine_that_is_still_to_be_deleted_goes_with_it() -> None:
    known = state(example.VOLUME, {**example.SERVER, "delete": True})
    assert example.plan(known, example.volume(), example.server(), example.volume_attachment()).is_empty


def test_an_unknown_volume_is_taken_in_protected_and_never_deleted() -> None:
    plan = example.plan(state(), example.volume())
    assert taken(plan) == ["state volume control-plane"]
    record = of(plan, Kind.VOLUME)
    assert record["urn"] == example.VOLUME["urn"]
    assert (record["id"], record["protect"], record["inputs"]["size"]) == ("5", True, 10)
    assert not plan.delete


def test_a_network_is_taken_in_with_its_subnet_and_not_with_somebodys() -> None:
    plan = example.plan(state(), example.network(), example.subnet(), example.subnet("10.0.9.0/24"))
    assert taken(plan) == ["network network", "subnet nodes"]
    assert of(plan, Kind.SUBNET)["dependencies"] == [example.NETWORK["urn"]]


@pytest.mark.parametrize("make", [example.server, example.volume, example.network, example.zone])
def test_a_wanted_name_without_the_labels_is_somebody_elses(make: Any) -> None:
    thing: Thing = make(labels={"managed_by": "terraform", "cluster": "prod"})
    plan = example.plan(state(), thing)
    assert plan.is_empty
    (left,) = plan.untouched
    assert left.thing is thing
    assert "not its labels (managed_by=raya, cluster=prod)" in left.reason


def test_a_cluster_whose_name_begins_like_ours_is_not_ours() -> None:
    theirs = {**OURS, "cluster": "prod-2"}
    found = [example.server("agent-7", labels=theirs), example.volume("prod-2-state", 6, labels=theirs)]
    plan = example.plan(state(), *found, example.network("prod-2", 4, labels=theirs))
    assert plan.is_empty
    assert len(plan.untouched) == 1, "only the name that this stack would give is worth a word"


def test_a_stack_with_the_same_cluster_name_and_another_prefix_is_not_ours() -> None:
    found = [example.server("blue-agent-0"), example.volume("blue-prod-state"), example.network("blue-prod")]
    plan = example.plan(state(), *found)
    assert plan.is_empty
    assert all("no name that this stack gives" in left.reason for left in plan.untouched)
    assert len(plan.untouched) == 3


def test_with_a_prefix_the_bare_names_are_not_ours() -> None:
    assert example.plan(state(), example.server("agent-0"), serverNamePrefix="blue-").is_empty
    assert example.plan(state(), example.server("blue-agent-0"), serverNamePrefix="blue-").delete


@pytest.mark.parametrize("stack", ["fedcba9876543210", "", None], ids=["another", "empty", "none"])
@pytest.mark.parametrize("make", [example.server, example.volume, example.network, example.zone])
def test_what_another_state_made_is_not_ours_whatever_it_is_called(make: Any, stack: str | None) -> None:
    labels = {name: value for name, value in OURS.items() if name != "stack"}
    thing: Thing = make(labels=labels if stack is None else {**labels, "stack": stack})
    plan = example.plan(state(), thing)
    assert plan.is_empty
    assert ["another state made it" in left.reason for left in plan.untouched] == [True]


def test_a_state_that_made_no_id_yet_made_nothing_that_has_labels() -> None:
    resources = [each for each in example.COMPONENTS if each is not example.RANDOM_STACK_ID]
    early = Checkpoint({"version": 3, "deployment": {"resources": resources}})
    for stack in ("", "None", example.STACK_ID):
        thing = example.server(labels={**OURS, "stack": stack})
        plan = example.plan(early, thing, example.volume(labels={**OURS, "stack": stack}))
        assert plan.is_empty
        (reason,) = {left.reason for left in plan.untouched}
        assert "this state has made nothing yet that has labels" in reason
        assert [left.thing.kind for left in plan.untouched] == [Kind.VOLUME, Kind.SERVER]


def test_a_second_volume_with_all_labels_never_takes_the_place_of_the_one_that_exists() -> None:
    renamed = example.volume("renamed-by-hand", 5)
    plan = example.plan(state(example.VOLUME), renamed, example.volume(id_=6))
    assert plan.is_empty
    (left,) = plan.untouched
    assert "the state knows another state volume in its place (5)" in left.reason


def test_a_protected_volume_that_is_gone_is_another_account_whatever_else_is_there() -> None:
    with pytest.raises(OtherAccountError, match=r"state volume control-plane \(5\), which is protected"):
        example.plan(state(example.VOLUME, example.NETWORK), example.network())
    unprotected = {**example.VOLUME, "protect": False}
    assert [each.urn for each in example.plan(state(unprotected)).gone] == [unprotected["urn"]]


def test_an_empty_state_owns_nothing() -> None:
    empty = Checkpoint({"version": 3, "deployment": {}})
    plan = example.plan(empty, example.server(), example.volume(), example.account())
    assert plan.is_empty
    assert len(plan.untouched) == 2


def test_what_the_state_has_and_the_cloud_has_not_is_forgotten() -> None:
    plan = example.plan(state(example.SERVER, example.VOLUME), example.volume())
    assert [each.urn for each in plan.gone] == [example.SERVER["urn"]]
    assert plan.refresh == [example.SERVER["urn"]]


def test_what_lies_in_a_project_that_was_not_looked_at_is_not_forgotten() -> None:
    seen = example.entry(Kind.ZONE, "primary", example.ZONE, parent=example.DNS_ZONE)
    elsewhere = {**seen, "id": example.ZONE.replace(example.PROJECT, "another-project")}
    assert [each.urn for each in example.plan(state(seen)).gone] == [seen["urn"]]
    assert example.plan(state(elsewhere)).is_empty


def test_a_replacement_that_had_not_deleted_its_server_yet_finds_the_attachments_again() -> None:
    attachment = example.entry(
        Kind.VOLUME_ATTACHMENT,
        "control-plane",
        "5",
        parent=example.CONTROL_PLANE,
        inputs={"serverId": 7},
        pendingReplacement=True,
    )
    known = state(example.VOLUME, example.SERVER, attachment)
    plan = example.plan(known, example.volume(), example.server(), example.volume_attachment())
    edited = known.edited([each.record for each in plan.take_in], gone=plan.replaced)
    (entry,) = [each for each in edited["deployment"]["resources"] if each["urn"] == attachment["urn"]]
    assert "pendingReplacement" not in entry
    assert entry["inputs"]["serverId"] == 7


def test_a_volume_attached_to_a_strangers_server_is_not_ours_to_record() -> None:
    plan = example.plan(state(example.VOLUME), example.volume(), example.volume_attachment(server_id=99))
    assert plan.is_empty


def test_the_account_with_the_states_own_random_part_is_ours_alone() -> None:
    other = example.ACCOUNT.replace(example.SUFFIX, "ffffff")
    known = state(example.RANDOM_SUFFIX)
    plan = example.plan(known, example.account(), example.account(other), example.key("k", of=other))
    assert taken(plan) == ["service account external-dns"]
    assert not plan.delete
    assert of(plan, Kind.ACCOUNT)["parent"] == example.DNS_IDENTITY


def test_a_key_that_the_state_does_not_know_is_deleted_and_its_role_taken_in() -> None:
    known = state(example.RANDOM_SUFFIX)
    given = [example.grant(), example.grant("roles/viewer")]
    plan = example.plan(known, example.account(), example.key("lost"), *given)
    assert [each.name for each in plan.delete] == ["lost"]
    assert taken(plan) == ["service account external-dns", "role binding external-dns"]


def test_the_delegation_is_ours_when_it_names_exactly_our_zones_servers() -> None:
    exact = example.record("k8s.example.org.", "NS", *reversed(example.NAME_SERVERS))
    apex = example.record(
        "k8s.example.org.", "NS", *example.NAME_SERVERS, in_zone=example.ZONE.rpartition("/")[2]
    )
    plan = example.plan(state(), example.zone(), exact, apex)
    assert taken(plan) == ["managed zone primary", "record primary-delegation"]
    delegation = of(plan, Kind.RECORD)
    assert delegation["inputs"]["managedZone"] == "example-org"
    assert delegation["dependencies"] == [of(plan, Kind.ZONE)["urn"]]


@pytest.mark.parametrize(
    "foreign",
    [
        example.record("k8s.example.org.", "NS", "ns.elsewhere.net."),
        example.record("k9.example.org.", "NS", *example.NAME_SERVERS),
        example.record("www.example.org.", "A", "192.0.2.1"),
    ],
)
def test_every_other_record_of_the_parent_zone_is_left_alone(foreign: Thing) -> None:
    assert taken(example.plan(state(), example.zone(), foreign)) == ["managed zone primary"]


def test_a_machines_record_is_taken_in_when_its_creation_was_begun_and_not_otherwise() -> None:
    in_zone = example.ZONE.rpartition("/")[2]
    found = example.record("a5.k8s.example.org.", "A", "192.0.2.5", in_zone=in_zone)
    begun = example.entry(Kind.RECORD, "a5", "", parent=example.DNS_ZONE, inputs={**found.inputs, "ttl": 300})
    assert taken(example.plan(state(), example.zone(), found)) == ["managed zone primary"]
    plan = example.plan(state(pending=[("creating", begun)]), example.zone(), found)
    assert taken(plan) == ["managed zone primary", "record a5"]


def test_what_a_run_was_changing_is_read_again() -> None:
    known = state(example.VOLUME, pending=[("updating", example.VOLUME)])
    plan = example.plan(known, example.volume())
    assert not plan.is_empty
    assert plan.refresh == [example.VOLUME["urn"]]


def test_what_was_changed_without_the_state_hearing_of_it_is_read_again() -> None:
    in_zone = example.ZONE.rpartition("/")[2]
    found = example.record("cp.k8s.example.org.", "A", "192.0.2.2", "192.0.2.1", in_zone=in_zone)

    def known(*rrdatas: str) -> dict[str, Any]:
        outputs = {**found.inputs, "rrdatas": list(rrdatas)}
        return example.entry(Kind.RECORD, "cp", found.id, parent=example.DNS_ZONE, outputs=outputs)

    plan = example.plan(state(known("192.0.2.9")), found)
    assert not plan.is_empty
    assert [each.name for each in plan.changed] == ["cp"]
    assert plan.refresh == [known()["urn"]]
    assert example.plan(state(known("192.0.2.1", "192.0.2.2")), found).is_empty


def test_a_component_that_the_state_lost_leaves_a_thing_alone() -> None:
    bare = Checkpoint({"deployment": {"resources": [example.RANDOM_SUFFIX, example.RANDOM_STACK_ID]}})
    plan = example.plan(bare, example.volume())
    assert plan.is_empty
    assert "no component to record it in" in plan.untouched[0].reason
