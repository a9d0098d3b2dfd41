"""The files as a whole: each component can be switched off, is in its place, and has what it needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from raya.machine_config import NodeSpec
from raya.manifests import FILES, NAMESPACES, ManifestError
from raya.pins import CHARTS
from tests import machines
from tests.unit.manifests.deployed import files, objects, the

AT_GOOGLE = ("external-dns", "cert-manager")


def test_every_template_belongs_to_a_component() -> None:
    templates = {file.name for file in (machines.PROJECT_ROOT / "manifests").glob("[!_]*")}
    assert templates == {f"{name}.yaml.j2" for names in FILES.values() for name in names}
    assert len(templates) == 7


@pytest.mark.parametrize("component", FILES)
def test_a_component_that_is_off_leaves_nothing_behind(component: str) -> None:
    on = dict.fromkeys(FILES, True) | {component: False}
    rendered = files(machines.manifest_values(components=on))
    expected = {f"raya-{name}.yaml" for other, names in FILES.items() if on[other] for name in names}
    assert set(rendered) == expected


def test_every_file_name_is_one_that_a_machine_accepts() -> None:
    rendered = files()
    assert isinstance(machines.control_plane(manifests=rendered), NodeSpec)
    assert len(rendered) == 7


def test_charts_come_from_the_pins() -> None:
    charts = [o for o in objects() if o["kind"] == "HelmChart"]
    assert len(charts) == len(CHARTS) == 4
    for chart in charts:
        pin = CHARTS[chart["metadata"]["name"]]
        spec = chart["spec"]
        assert (spec["repo"], spec["chart"], spec["version"]) == (pin.repo, pin.name, pin.version)
        assert chart["metadata"]["namespace"] == "kube-system"
        assert spec["targetNamespace"] == NAMESPACES[chart["metadata"]["name"]]


def test_each_component_is_in_its_own_namespace_or_in_kube_system() -> None:
    made = {o["metadata"]["name"] for o in objects() if o["kind"] == "Namespace"}
    assert made == set(NAMESPACES.values()) - {"kube-system"}
    for item in objects():
        assert item["metadata"].get("namespace", "kube-system") in made | {"kube-system"}


@pytest.mark.parametrize(
    ("namespace", "level"),
    [("external-dns", "restricted"), ("cert-manager", "restricted"), ("flux-system", "baseline")],
)
def test_a_namespace_says_what_its_pods_may_do_and_outlives_the_switch(namespace: str, level: str) -> None:
    labels = the("Namespace", namespace)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == level
    # k3s does not delete what has this label; Helm still finds its release there when it is to take it down.
    assert labels["objectset.rio.cattle.io/prune"] == "false"


def test_x1_no_object_needs_a_controller_that_is_not_there() -> None:
    assert {o["kind"] for o in objects()} == {
        "ClusterIssuer",
        "ConfigMap",
        "GitRepository",
        "HelmChart",
        "HelmChartConfig",
        "Kustomization",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "Namespace",
        "Secret",
    }


def test_what_needs_a_crd_shares_no_file_with_what_brings_it() -> None:
    for name, text in files().items():
        kinds = {document["kind"] for document in yaml.safe_load_all(text)}
        assert not ({"HelmChart", "Namespace"} & kinds and {"ClusterIssuer", "GitRepository"} & kinds), name


def test_every_provisioned_secret_is_where_its_user_looks_for_it() -> None:
    assert the("Secret", "hcloud")["stringData"] == {"token": "fake-hcloud-token"}
    assert the("Secret", "hcloud")["metadata"]["namespace"] == "kube-system"
    for name in AT_GOOGLE:
        secret = the("Secret", f"{name}-google")
        key = json.loads(secret["stringData"]["credentials.json"])
        assert key == {"private_key": f"fake key of {name}\n"}
        assert secret["metadata"]["namespace"] == the("HelmChart", name)["spec"]["targetNamespace"]


@pytest.mark.parametrize("secret", ["external_dns_key", "cert_manager_key", "hcloud_csi_token"])
def test_a_component_without_its_secret_is_refused(secret: str) -> None:
    with pytest.raises(ManifestError, match=f"has no {secret.replace('_', ' ')}"):
        machines.manifest_values(**{secret: None})


def test_an_unknown_component_is_refused() -> None:
    with pytest.raises(ManifestError, match="there is no component 'nginx'"):
        machines.manifest_values(components={"nginx": True})


def test_secrets_are_not_in_the_repr() -> None:
    assert "fake" not in repr(machines.manifest_values())


def test_the_projects_own_folders_hold_no_key() -> None:
    found = [
        file
        for folder in ("manifests", "butane", "deploy", "tests/golden")
        for file in (machines.PROJECT_ROOT / folder).rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    ]
    assert len(found) > 40
    for file in found:
        assert b"PRIVATE KEY" not in Path(file).read_bytes(), file
