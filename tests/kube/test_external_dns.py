"""external-dns as its chart makes it of our values: what runs, as whom, with which key and which rights."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from raya.pins import Pins
from tests.kube import k3s, upstream, workloads
from tests.kube.conftest import ROOT
from tests.kube.lab import helm
from tests.kube.lab.api_server import ApiServer
from tests.kube.workloads import Object, Pod
from tests.unit.manifests.deployed import files, the

NAMESPACE = "external-dns"


@pytest.fixture(scope="module")
def rendered() -> list[Object]:
    release = Pins.load(ROOT / "image").k3s.version
    return helm.objects(upstream.external_dns_chart(), the("HelmChart", "external-dns"), kubernetes=release)


@pytest.fixture(scope="module")
def pod(rendered: list[Object]) -> Pod:
    (only,) = workloads.pods(rendered)
    return only


def test_one_replica_runs_and_a_new_one_waits_until_the_old_one_is_gone(rendered: list[Object]) -> None:
    spec = workloads.the(rendered, "Deployment", "external-dns")["spec"]
    assert spec["replicas"] == 1
    # Two writers of the same zones would undo each other's work.
    assert spec["strategy"]["type"] == "Recreate"


def test_d6_it_is_told_exactly_this(pod: Pod) -> None:
    said = {argument for argument in pod.arguments if not argument.startswith(("--log-", "--interval="))}
    assert said == {
        "--provider=google",
        "--google-project=example-project",
        "--google-zone-visibility=public",
        "--source=ingress",
        "--domain-filter=k8s.example.org",
        "--domain-filter=example.net",
        "--registry=txt",
        "--txt-owner-id=example",
        "--txt-wildcard-replacement=wildcard",
        "--policy=sync",
    }


def test_it_authenticates_with_the_key_that_is_deployed_with_it(pod: Pod) -> None:
    secret = the("Secret", "external-dns-google")
    assert pod.secrets() == {"external-dns-google"}
    assert pod.namespace == secret["metadata"]["namespace"] == NAMESPACE
    (container,) = pod.containers
    environment = {entry["name"]: entry["value"] for entry in container["env"]}
    (mount,) = container["volumeMounts"]
    file = Path(environment["GOOGLE_APPLICATION_CREDENTIALS"])
    assert (file.parent, mount["readOnly"]) == (Path(mount["mountPath"]), True)
    assert list(secret["stringData"]) == [file.name]


def test_its_account_may_read_what_it_publishes_and_write_nothing(rendered: list[Object], pod: Pod) -> None:
    account = pod.spec["serviceAccountName"]
    assert workloads.the(rendered, "ServiceAccount", account)["metadata"]["namespace"] == NAMESPACE
    (binding,) = [item for item in rendered if item["kind"] == "ClusterRoleBinding"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}]
    rules = workloads.the(rendered, "ClusterRole", binding["roleRef"]["name"])["rules"]
    assert {resource for rule in rules for resource in rule["resources"]} >= {"ingresses"}
    assert {verb for rule in rules for verb in rule["verbs"]} <= {"get", "list", "watch"}


def test_its_image_is_the_release_of_the_chart(pod: Pod) -> None:
    chart = yaml.safe_load((upstream.external_dns_chart() / "Chart.yaml").read_text())
    (container,) = pod.containers
    assert container["image"].endswith(f":v{chart['appVersion']}")
    assert pod.unpinned_images() == []
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}


def test_the_api_server_takes_all_of_it_and_admits_the_pod(
    api: ApiServer, rendered: list[Object], pod: Pod
) -> None:
    api.wipe()
    k3s.deploy(api, {"raya-external-dns.yaml": files()["raya-external-dns.yaml"]})
    text = yaml.safe_dump_all(rendered)
    k3s.apply(api, text, "helm")
    first = k3s.stored(api, text)
    k3s.apply(api, text, "helm")
    assert k3s.stored(api, text) == first
    workloads.admit(api, pod)
