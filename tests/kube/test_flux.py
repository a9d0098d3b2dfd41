"""All of `deploy/` as Flux' own library builds it and puts the variables in, given to a real API server."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests import go_program, machines
from tests.commands import LabError, run
from tests.kube import k3s
from tests.kube.lab.api_server import ApiServer
from tests.unit.manifests import deployed

MANAGER = "kustomize-controller"
# What Flux takes for a variable, in anything that does not say that it has none.
VARIABLE = re.compile(r"\$\{")


@pytest.fixture(scope="module")
def program() -> Path:
    return go_program.build(Path(__file__).with_name("flux_build"), "flux_build")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clone of which Flux sees `deploy/`."""
    root = tmp_path / "repository"
    shutil.copytree(
        machines.PROJECT_ROOT / "deploy", root / "deploy", ignore=shutil.ignore_patterns("__pycache__")
    )
    return root


def build(program: Path, api: ApiServer, repository: Path) -> str:
    """What Flux would apply: by the Kustomization that the cluster has, with the ConfigMap that it names."""
    kustomization = repository.with_name("kustomization.yaml")
    ask = (
        "get",
        "kustomizations.kustomize.toolkit.fluxcd.io/raya",
        "--namespace=flux-system",
        "--output=yaml",
    )
    kustomization.write_text(api.kubectl(*ask))
    folder = repository / yaml.safe_load(kustomization.read_text())["spec"]["path"]
    assert folder.is_dir()
    environment = ["env", "-i", f"PATH={os.environ['PATH']}", f"KUBECONFIG={api.kubeconfig}"]
    return run([*environment, program, kustomization, repository, folder])


@pytest.fixture
def cluster(api: ApiServer) -> ApiServer:
    """k3s has deployed everything that the control plane carries."""
    api.wipe()
    k3s.deploy(api, deployed.files())
    return api


def test_everything_is_applied_strictly_and_a_second_time_changes_nothing(
    program: Path, cluster: ApiServer, repository: Path
) -> None:
    text = build(program, cluster, repository)
    documents = list(yaml.safe_load_all(text))
    # As the controller does: what others need in order to exist goes first.
    early = [item for item in documents if item["kind"] in ("Namespace", "ClusterRole")]
    k3s.apply(cluster, yaml.safe_dump_all(early), MANAGER)
    k3s.apply(cluster, text, MANAGER)
    first = k3s.stored(cluster, text)
    assert len(first) == len(documents) > 10

    k3s.apply(cluster, build(program, cluster, repository), MANAGER)
    assert k3s.stored(cluster, text) == first


def test_the_clusters_own_zone_is_in_every_host(program: Path, cluster: ApiServer, repository: Path) -> None:
    documents = list(yaml.safe_load_all(build(program, cluster, repository)))
    hosts = [
        rule["host"] for item in documents if item["kind"] == "Ingress" for rule in item["spec"]["rules"]
    ]
    assert "h.k8s.example.org" in hosts
    assert all(host.endswith(".k8s.example.org") for host in hosts)
    for item in documents:
        annotations = item["metadata"].get("annotations", {})
        if annotations.get("kustomize.toolkit.fluxcd.io/substitute") != "disabled":
            assert not VARIABLE.search(yaml.safe_dump(item)), k3s.name_of(item)


def test_programs_arrive_as_they_are_in_git(program: Path, cluster: ApiServer, repository: Path) -> None:
    files = {file.name: file for file in (repository / "deploy").rglob("*") if file.is_file()}
    for name in ("node_reaper.py", "default.conf"):
        with files[name].open("a") as file:
            file.write("# ${braces} of its own\n")
    documents = list(yaml.safe_load_all(build(program, cluster, repository)))
    carried = {
        name: content
        for item in documents
        if item["kind"] == "ConfigMap"
        for name, content in item["data"].items()
    }
    assert {"agents.json", "node_reaper.py", "default.conf"} <= carried.keys()
    assert {name: files[name].read_text() for name in carried} == carried


def test_a_variable_that_the_cluster_does_not_have_is_an_error(
    program: Path, cluster: ApiServer, repository: Path
) -> None:
    file = next((repository / "deploy" / "apps").rglob("ingress.yaml"))
    file.write_text(file.read_text().replace("${MANAGED_ZONE}", "${NO_SUCH_ZONE}"))
    with pytest.raises(LabError, match="NO_SUCH_ZONE"):
        build(program, cluster, repository)
