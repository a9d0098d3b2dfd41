"""external-dns: its own identity, its own records, the cluster's own public zones."""

from __future__ import annotations

from tests import machines
from tests.unit.manifests.deployed import chart_values


def test_it_publishes_ingresses_in_google_cloud_dns() -> None:
    values = chart_values("external-dns")
    assert values["provider"] == {"name": "google"}
    assert values["sources"] == ["ingress"]
    assert "--google-project=example-project" in values["extraArgs"]


def test_it_owns_its_records_and_takes_them_back() -> None:
    values = chart_values("external-dns")
    assert values["policy"] == "sync"
    assert (values["registry"], values["txtOwnerId"]) == ("txt", "example")
    assert "--txt-wildcard-replacement=wildcard" in values["extraArgs"]


def test_d6_it_touches_the_given_public_zones_only() -> None:
    values = chart_values("external-dns")
    assert values["domainFilters"] == ["k8s.example.org", "example.net"]
    assert "--google-zone-visibility=public" in values["extraArgs"]


def test_its_key_is_mounted_where_googles_library_is_told_to_look() -> None:
    values = chart_values("external-dns")
    (volume,), (mount,) = values["extraVolumes"], values["extraVolumeMounts"]
    assert volume["secret"] == {"secretName": "external-dns-google"}
    assert (mount["name"], mount["readOnly"]) == (volume["name"], True)
    path = f"{mount['mountPath']}/credentials.json"
    assert values["env"] == [{"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": path}]


def test_another_key_is_another_pod() -> None:
    other = machines.manifest_values(external_dns_key="{}")
    before, after = (chart_values("external-dns", values=v)["podAnnotations"] for v in (None, other))
    assert before.keys() == after.keys() == {"raya.dev/key"}
    assert before != after
    again = machines.manifest_values(gitops_token="another", cert_manager_key="{}")
    assert chart_values("external-dns", values=again)["podAnnotations"] == before
