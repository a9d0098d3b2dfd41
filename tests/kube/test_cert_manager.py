"""cert-manager as its chart makes it of our values, and the issuer that is deployed beside it."""

from __future__ import annotations

import pytest
import yaml

from raya.pins import CHARTS, Pins
from tests.kube import k3s, upstream, workloads
from tests.kube.conftest import ROOT
from tests.kube.lab import helm
from tests.kube.lab.api_server import ApiServer
from tests.kube.workloads import Object
from tests.unit.manifests.deployed import files, the

NAMESPACE = "cert-manager"
VERSION = CHARTS["cert-manager"].version


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> list[Object]:
    chart = helm.package(upstream.cert_manager_chart(), VERSION, tmp_path_factory.mktemp("chart"))
    release = Pins.load(ROOT / "image").k3s.version
    return helm.objects(chart, the("HelmChart", "cert-manager"), kubernetes=release)


def test_its_three_parts_run_in_one_replica_each(rendered: list[Object]) -> None:
    parts = {item["metadata"]["name"]: item for item in rendered if item["kind"] == "Deployment"}
    assert set(parts) == {"cert-manager", "cert-manager-webhook", "cert-manager-cainjector"}
    for part in parts.values():
        assert part["spec"]["replicas"] == 1
        assert part["metadata"]["namespace"] == NAMESPACE


def test_d7_it_asks_public_resolvers_only_before_it_calls_a_challenge_ready(rendered: list[Object]) -> None:
    (controller,) = [pod for pod in workloads.pods(rendered) if pod.owner == "Deployment cert-manager"]
    assert {
        "--dns01-recursive-nameservers-only=true",
        "--dns01-recursive-nameservers=1.1.1.1:53,8.8.8.8:53",
    } <= {*controller.arguments}


def test_d7_the_issuers_key_is_where_it_looks_for_it(rendered: list[Object]) -> None:
    (controller,) = [pod for pod in workloads.pods(rendered) if pod.owner == "Deployment cert-manager"]
    # An issuer of the whole cluster has no namespace: its secrets are sought in the controller's own.
    assert "--cluster-resource-namespace=$(POD_NAMESPACE)" in controller.arguments
    for solver in the("ClusterIssuer", "letsencrypt")["spec"]["acme"]["solvers"]:
        reference = solver["dns01"]["cloudDNS"]["serviceAccountSecretRef"]
        secret = the("Secret", reference["name"])
        assert secret["metadata"]["namespace"] == controller.namespace
        assert reference["key"] in secret["stringData"]


def test_its_crds_stay_when_the_release_goes(rendered: list[Object]) -> None:
    crds = [item for item in rendered if item["kind"] == "CustomResourceDefinition"]
    sources = [yaml.safe_load(file.read_text())["metadata"]["name"] for file in upstream.cert_manager_crds()]
    assert {item["metadata"]["name"] for item in crds} == set(sources)
    assert all(item["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep" for item in crds)


def test_every_part_has_its_account_its_resources_and_a_pinned_image(rendered: list[Object]) -> None:
    found = list(workloads.pods(rendered))
    assert len(found) == 3
    for pod in found:
        account = workloads.the(rendered, "ServiceAccount", pod.spec["serviceAccountName"])
        assert account["metadata"]["namespace"] == pod.namespace
        assert pod.secrets() == set()
        assert pod.unpinned_images() == []
        for container in pod.containers:
            assert container["image"].endswith(f":{VERSION}")
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}, pod.owner


def test_the_api_server_takes_all_of_it_and_admits_the_pods(api: ApiServer, rendered: list[Object]) -> None:
    api.wipe()
    own = [name for name in files() if name.startswith("raya-cert-manager")]
    k3s.deploy(api, {name: files()[name] for name in own})
    # The webhooks would be asked about what is applied after them, and nothing runs here.
    text = yaml.safe_dump_all(item for item in rendered if not item["kind"].endswith("WebhookConfiguration"))
    k3s.apply(api, text, "helm")
    first = k3s.stored(api, text)
    k3s.apply(api, text, "helm")
    assert k3s.stored(api, text) == first
    for pod in workloads.pods(rendered):
        workloads.admit(api, pod)
