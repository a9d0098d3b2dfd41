"""The hello application as the API server takes it: the proof of the whole chain, and how it is shut in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests import machines
from tests.kube import k3s
from tests.kube.lab.api_server import ApiServer, KubectlError

ZONE = "k8s.example.org"
DEPLOY = machines.PROJECT_ROOT / "deploy"
Object = dict[str, Any]


@pytest.fixture(scope="module")
def hello(api: ApiServer) -> Iterator[dict[str, Object]]:
    """ "kind namespace/name" -> the object that the API server keeps of it."""
    text = api.kubectl("kustomize", DEPLOY / "apps" / "hello").replace("${MANAGED_ZONE}", ZONE)
    api.wipe()
    k3s.apply(api, text, "kustomize-controller")
    yield k3s.stored(api, text)
    api.wipe()


def pod(hello: dict[str, Object], **changes: object) -> str:
    """The pod that its Deployment would have made, as JSON; `changes` are made to its container."""
    template = hello["Deployment hello/hello"]["spec"]["template"]
    (container,) = template["spec"]["containers"]
    spec = {**template["spec"], "containers": [{**container, **changes}]}
    metadata = {"name": "hello-1", "namespace": "hello", "labels": template["metadata"]["labels"]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def test_its_ingress_asks_for_a_name_and_a_certificate(hello: dict[str, Object]) -> None:
    ingress = hello["Ingress hello/hello"]
    assert ingress["metadata"]["annotations"]["cert-manager.io/cluster-issuer"] == "letsencrypt"
    assert ingress["spec"]["ingressClassName"] == "traefik"
    assert ingress["spec"]["tls"] == [{"hosts": [f"h.{ZONE}"], "secretName": "hello-tls"}]
    assert [rule["host"] for rule in ingress["spec"]["rules"]] == [f"h.{ZONE}"]


def test_the_example_of_a_wildcard_has_a_certificate_of_its_own(hello: dict[str, Object]) -> None:
    ingress = hello["Ingress hello/hello-wildcard"]
    assert ingress["metadata"]["annotations"]["cert-manager.io/cluster-issuer"] == "letsencrypt"
    assert ingress["spec"]["tls"] == [{"hosts": [f"*.h.{ZONE}"], "secretName": "hello-wildcard-tls"}]
    assert [rule["host"] for rule in ingress["spec"]["rules"]] == [f"*.h.{ZONE}"]


def test_the_way_from_ingress_to_pod_has_no_gap(hello: dict[str, Object]) -> None:
    service = hello["Service hello/hello"]["spec"]
    template = hello["Deployment hello/hello"]["spec"]["template"]
    (container,) = template["spec"]["containers"]
    (port,) = service["ports"]
    for name in ("hello", "hello-wildcard"):
        (rule,) = hello[f"Ingress hello/{name}"]["spec"]["rules"]
        (path,) = rule["http"]["paths"]
        assert (path["path"], path["pathType"]) == ("/", "Prefix")
        assert path["backend"]["service"] == {"name": "hello", "port": {"name": port["name"]}}
    assert service["selector"].items() <= template["metadata"]["labels"].items()
    assert port["targetPort"] in {each["name"] for each in container["ports"]}


def test_pod_security_lets_its_pods_in_and_nothing_with_more_rights(
    api: ApiServer, hello: dict[str, Object]
) -> None:
    # Nothing makes the namespace's service account here: that is a controller's business.
    api.kubectl("create", "serviceaccount", "default", "--namespace=hello")
    create = ("create", "--dry-run=server", "--filename=-")
    said = api.kubectl(*create, given=pod(hello), check=False)
    assert said == "pod/hello-1 created (server dry run)\n"
    for rights in ({"allowPrivilegeEscalation": True}, {"runAsUser": 0, "runAsNonRoot": False}, {}):
        with pytest.raises(KubectlError, match="violates PodSecurity"):
            api.kubectl(*create, given=pod(hello, securityContext=rights))


def test_only_traefik_reaches_it_and_it_reaches_nobody(hello: dict[str, Object]) -> None:
    deny = hello["NetworkPolicy hello/default-deny"]["spec"]
    assert deny == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    allow = hello["NetworkPolicy hello/from-traefik"]["spec"]
    assert allow["policyTypes"] == ["Ingress"]
    assert "egress" not in allow
    (rule,) = allow["ingress"]
    assert rule["from"] == [
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
            "podSelector": {"matchLabels": {"app.kubernetes.io/name": "traefik"}},
        }
    ]
    assert rule["ports"] == [{"protocol": "TCP", "port": "http"}]


def test_a_drain_takes_one_pod_at_a_time(hello: dict[str, Object]) -> None:
    assert hello["Deployment hello/hello"]["spec"]["replicas"] == 2
    budget = hello["PodDisruptionBudget hello/hello"]["spec"]
    assert budget["maxUnavailable"] == 1
    assert budget["selector"] == hello["Deployment hello/hello"]["spec"]["selector"]


def test_the_web_server_is_told_what_is_in_the_repository(hello: dict[str, Object]) -> None:
    deployment = hello["Deployment hello/hello"]["spec"]["template"]["spec"]
    (name,) = (each["configMap"]["name"] for each in deployment["volumes"] if "configMap" in each)
    config_map = hello[f"ConfigMap hello/{name}"]
    assert config_map["data"] == {"default.conf": (DEPLOY / "apps/hello/default.conf").read_text()}
    # What has dollar signs of its own is no business of Flux' substitution.
    disabled = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}
    assert disabled.items() <= config_map["metadata"]["annotations"].items()


def test_everything_in_the_folder_was_looked_at(hello: dict[str, Object]) -> None:
    files = [file for file in (DEPLOY / "apps" / "hello").glob("*.yaml") if file.name != "kustomization.yaml"]
    written = [item for file in files for item in yaml.safe_load_all(file.read_text())]
    assert len(written) + 1 == len(hello) == 9
