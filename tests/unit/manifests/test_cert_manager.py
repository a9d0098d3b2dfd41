"""cert-manager: DNS-01 in Cloud DNS with its own identity, checked by public resolvers."""

from __future__ import annotations

from tests import machines
from tests.unit.manifests.deployed import chart_values, the


def test_the_issuer_is_what_the_settings_say() -> None:
    acme = the("ClusterIssuer", "letsencrypt")["spec"]["acme"]
    assert acme["server"] == "https://acme-v02.api.letsencrypt.org/directory"
    assert acme["email"] == "admin@example.org"
    assert acme["privateKeySecretRef"] == {"name": "letsencrypt-account"}


def test_d7_challenges_are_solved_in_the_zone_of_the_name() -> None:
    managed, other = the("ClusterIssuer", "letsencrypt")["spec"]["acme"]["solvers"]
    assert managed["selector"]["dnsZones"] == ["k8s.example.org"]
    assert managed["dns01"]["cloudDNS"]["hostedZoneName"] == "raya-k8s-example-org"
    assert other["selector"]["dnsZones"] == ["example.net"]
    assert "hostedZoneName" not in other["dns01"]["cloudDNS"]
    for solver in (managed, other):
        # DNS-01 alone: it is the only one that can carry a wildcard.
        assert solver.keys() == {"selector", "dns01"}
        assert solver["dns01"].keys() == {"cloudDNS"}
        assert solver["dns01"]["cloudDNS"]["project"] == "example-project"
        reference = solver["dns01"]["cloudDNS"]["serviceAccountSecretRef"]
        secret = the("Secret", reference["name"])
        assert secret["metadata"]["namespace"] == "cert-manager"
        assert reference["key"] in secret["stringData"]


def test_one_zone_needs_one_solver() -> None:
    values = machines.manifest_values(dns_zones=("k8s.example.org",))
    assert len(the("ClusterIssuer", "letsencrypt", values)["spec"]["acme"]["solvers"]) == 1


def test_d7_what_counts_is_what_the_public_sees() -> None:
    values = chart_values("cert-manager")
    assert values["dns01RecursiveNameserversOnly"] is True
    assert values["dns01RecursiveNameservers"] == "1.1.1.1:53,8.8.8.8:53"


def test_the_crds_come_with_the_chart_and_do_not_go_with_it() -> None:
    assert chart_values("cert-manager")["crds"] == {"enabled": True, "keep": True}


def test_all_three_parts_ask_for_room() -> None:
    values = chart_values("cert-manager")
    for part in (values, values["webhook"], values["cainjector"]):
        assert part["resources"]["requests"].keys() == {"cpu", "memory"}
