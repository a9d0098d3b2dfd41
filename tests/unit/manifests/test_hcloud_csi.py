"""Hetzner's storage driver: its own token, no metadata from pods, and a place for the state volume."""

from __future__ import annotations

from raya.addressing import CONTROL_PLANE_NAME
from tests import machines
from tests.unit.manifests.deployed import chart_values, the


def test_its_controller_has_a_token_of_its_own_and_asks_no_metadata_service() -> None:
    controller = chart_values("hcloud-csi")["controller"]
    assert controller["hcloudToken"] == {"existingSecret": {"name": "hcloud", "key": "token"}}
    assert controller["hcloudVolumeDefaultLocation"] == "hel1"


def test_its_node_part_reaches_the_metadata_service_from_the_host() -> None:
    assert chart_values("hcloud-csi")["node"]["hostNetwork"] is True


def test_no_other_pod_pushes_it_away() -> None:
    values = chart_values("hcloud-csi")
    assert values["controller"]["priorityClassName"] == "system-cluster-critical"
    assert values["node"]["priorityClassName"] == "system-node-critical"


def test_its_volumes_say_whose_they_are() -> None:
    # `make orphans` looks for this label.
    assert chart_values("hcloud-csi")["controller"]["volumeExtraLabels"] == {"cluster": "example"}


def test_a_claim_that_names_no_class_gets_a_volume() -> None:
    assert chart_values("hcloud-csi")["storageClasses"] == [
        {"name": "hcloud-volumes", "defaultStorageClass": True, "reclaimPolicy": "Delete"}
    ]


def test_another_token_is_another_pod() -> None:
    other = machines.manifest_values(hcloud_csi_token="another")
    before, after = (
        chart_values("hcloud-csi", values=v)["controller"]["podAnnotations"] for v in (None, other)
    )
    assert before.keys() == after.keys() == {"raya.dev/key"}
    assert before != after


def test_c1_the_node_with_the_state_volume_counts_one_claim_less() -> None:
    """What the API server makes of it is held by tests/kube."""
    spec = the("MutatingAdmissionPolicy", "room-for-state-volume")["spec"]
    (rule,) = spec["matchConstraints"]["resourceRules"]
    assert rule["resourceNames"] == [CONTROL_PLANE_NAME]
    assert (rule["resources"], rule["operations"]) == (["csinodes"], ["CREATE", "UPDATE"])
    assert "count: 15" in spec["mutations"][0]["applyConfiguration"]["expression"]
    # A kubelet that cannot register its node is worse than a claim too many.
    assert spec["failurePolicy"] == "Ignore"
    binding = the("MutatingAdmissionPolicyBinding", "room-for-state-volume")["spec"]
    assert binding == {"policyName": "room-for-state-volume"}
