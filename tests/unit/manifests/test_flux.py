"""Flux: two controllers, one repository, and the cluster's public values for what is in it."""

from __future__ import annotations

import pytest

from tests import machines
from tests.unit.manifests.deployed import chart_values, objects, the

OFF = (
    "helmController",
    "imageAutomationController",
    "imageReflectionController",
    "notificationController",
    "sourceWatcher",
)


def test_x1_only_the_controllers_of_a_git_repository_run() -> None:
    values = chart_values("flux")
    for name in ("sourceController", "kustomizeController"):
        # There is nobody to send events to; the last flag of a name counts.
        assert values[name] == {"create": True, "container": {"additionalArgs": ["--events-addr="]}}
    assert [values[name] for name in OFF] == [{"create": False}] * len(OFF)
    assert values.keys() == {"installCRDs", "crds", "sourceController", "kustomizeController", *OFF}


def test_the_crds_come_with_the_chart_and_do_not_go_with_it() -> None:
    values = chart_values("flux")
    assert values["installCRDs"] is True
    assert values["crds"] == {"annotations": {"helm.sh/resource-policy": "keep"}}


def test_it_watches_the_repository() -> None:
    repository = the("GitRepository", "raya")
    assert repository["metadata"]["namespace"] == "flux-system"
    assert repository["spec"] == {
        "interval": "1m",
        "url": "https://git.example.org/cluster.git",
        "ref": {"branch": "main"},
        "secretRef": {"name": "gitops"},
    }
    secret = the("Secret", "gitops")
    assert secret["metadata"]["namespace"] == "flux-system"
    assert secret["stringData"] == {"username": "git", "password": "fake-gitops-token"}


@pytest.mark.parametrize("token", [None, ""])
def test_a_public_repository_needs_no_secret(token: str | None) -> None:
    values = machines.manifest_values(gitops_token=token)
    assert "secretRef" not in the("GitRepository", "raya", values)["spec"]
    assert not [o for o in objects(values) if o["metadata"]["name"] == "gitops"]


def test_it_keeps_the_cluster_as_the_folder_says() -> None:
    sync = the("Kustomization", "raya")["spec"]
    assert sync["sourceRef"] == {"kind": "GitRepository", "name": "raya"}
    assert (sync["path"], sync["prune"]) == ("./deploy", True)
    # Switching Flux off must not delete what it brought, applications' volumes among it.
    assert sync["deletionPolicy"] == "Orphan"


def test_what_is_in_the_repository_may_use_the_clusters_public_values() -> None:
    (source,) = the("Kustomization", "raya")["spec"]["postBuild"]["substituteFrom"]
    values = the(source["kind"], source["name"])
    assert values["kind"] == "ConfigMap"
    assert values["metadata"]["namespace"] == the("Kustomization", "raya")["metadata"]["namespace"]
    assert values["data"] == {"CLUSTER_NAME": "example", "MANAGED_ZONE": "k8s.example.org"}
