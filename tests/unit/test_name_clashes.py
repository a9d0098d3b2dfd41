"""Names in the Hetzner project that another cluster, or nobody's cluster, has already."""

from __future__ import annotations

from typing import Any

from raya import name_clashes
from raya.clash import CLUSTER_NAME, SERVER_NAME_PREFIX, Clash
from raya.inventory import HetznerProject, Kind, Thing
from raya.ownership import Ownership
from tests.unit import example_stack


def _labels(cluster: str) -> dict[str, str]:
    return {"managed_by": "raya", "cluster": cluster}


def _thing(kind: Kind, name: str, cluster: str | None = None, number: int = 1) -> Thing:
    labels = _labels(cluster) if cluster else {}
    return Thing(kind=kind, name=name, id=str(number), mark=f"mark of {name}", labels=labels)


def _clashes(*things: Thing, state: tuple[Thing, ...] = (), **settings: Any) -> list[Clash]:
    own = Ownership(stack="mine", read_state=lambda: state)
    project = HetznerProject(things=things, server_types={})
    return list(name_clashes.clashes(project, example_stack.load(settings), own))


def _refusals(*things: Thing, state: tuple[Thing, ...] = (), **settings: Any) -> list[str]:
    return [each.sentence for each in _clashes(*things, state=state, **settings)]


def test_an_empty_project_and_other_names_are_fine() -> None:
    assert _refusals() == []
    assert _refusals(_thing("server", "blue-control-plane", "blue"), _thing("network", "blue", "blue")) == []


def test_a_name_counts_within_its_kind_only() -> None:
    assert _refusals(_thing("network", "control-plane"), _thing("server", "prod")) == []


def test_what_the_storage_driver_made_is_in_nobodys_way() -> None:
    labels = {"managed-by": "csi-driver", "cluster": "prod"}
    assert _refusals(Thing(kind="volume", name="pvc-1", mark="9", labels=labels)) == []


def test_the_names_of_another_cluster_are_one_sentence_that_says_what_to_set() -> None:
    taken = [_thing("server", name, "green", 7) for name in ("control-plane", "agent-0", "agent-1")]
    (sentence,) = _refusals(*taken)
    assert "has the server control-plane (7), the server agent-0 (7), the server agent-1 (7)" in sentence
    assert "of the raya cluster green" in sentence
    assert "pulumi config set raya:serverNamePrefix" in sentence
    prefixed: dict[str, Any] = {"raya:serverNamePrefix": "blue-"}
    assert _refusals(*taken, **prefixed) == []


def test_each_owner_is_a_sentence_and_a_stranger_is_one_without_labels() -> None:
    sentences = _refusals(
        _thing("firewall", "prod"), _thing("volume", "prod-state", "green"), _thing("network", "prod", "red")
    )
    assert len(sentences) == 3
    assert "the firewall prod (1), which carries no labels of raya's" in sentences[0]
    assert "the volume prod-state (1), of the raya cluster green" in sentences[1]


def test_prefix_and_name_that_make_another_clusters_names_are_found() -> None:
    changes: dict[str, Any] = {"raya:serverNamePrefix": "blue-", "raya:clusterName": "x"}
    (sentence,) = _refusals(_thing("network", "blue-x", "blue-x"), **changes)
    assert "the network blue-x (1), of the raya cluster blue-x" in sentence


def test_a_cluster_of_the_same_name_is_found_whatever_its_servers_are_called() -> None:
    (sentence,) = _refusals(_thing("server", "green-control-plane", "prod"))
    assert "labelled cluster=prod, of which the state of the stack mine does not know" in sentence
    assert "do not recover it" in sentence
    assert "`make recover STACK=mine`" in sentence


def test_a_cluster_whose_name_begins_alike_is_another() -> None:
    assert _refusals(_thing("server", "x-control-plane", "prod-2"), _thing("volume", "p", "pro")) == []


def test_ones_own_are_no_clash_after_an_update_that_ended_early() -> None:
    made = (_thing("server", "control-plane", "prod"), _thing("network", "prod", "prod"))
    assert _refusals(*made, state=made) == []
    lost = _thing("server", "agent-1", "prod")
    (sentence,) = _refusals(*made, lost, state=made)
    assert "has the server agent-1 (1), labelled" in sentence


def test_ones_own_after_a_change_of_the_prefix_are_no_clash() -> None:
    made = _thing("server", "control-plane", "prod")
    changes: dict[str, Any] = {"raya:serverNamePrefix": "blue-"}
    assert _refusals(made, state=(made,), **changes) == []


def test_what_was_removed_from_the_state_by_hand_is_found_and_the_way_back_is_named() -> None:
    made = (_thing("server", "control-plane", "prod"), _thing("server", "agent-0", "prod"))
    (sentence,) = _refusals(*made, state=made[:1])
    assert "has the server agent-0 (1), labelled" in sentence
    assert "something was removed from its state by hand: then `make recover STACK=mine`" in sentence


def test_each_clash_knows_the_settings_that_get_out_of_its_way() -> None:
    def keys(*things: Thing, **settings: Any) -> list[set[str]]:
        return [set(each.settings) for each in _clashes(*things, **settings)]

    assert keys(_thing("server", "agent-0", "green")) == [{SERVER_NAME_PREFIX}]
    assert keys(_thing("server", "agent-0", "prod")) == [{CLUSTER_NAME, SERVER_NAME_PREFIX}]
    assert keys(_thing("server", "blue-agent-0", "prod")) == [{CLUSTER_NAME}]
