"""Traefik: on every node, with the client's address, and TLS that needs only the Secret of an Ingress."""

from __future__ import annotations

from tests.unit.manifests.deployed import chart_values, objects, the


def test_it_configures_k3s_own_chart_and_brings_none() -> None:
    config = the("HelmChartConfig", "traefik")
    assert config["metadata"]["namespace"] == "kube-system"
    assert not [o for o in objects() if o["kind"] == "HelmChart" and o["metadata"]["name"] == "traefik"]


def test_t2_a_release_that_failed_is_installed_afresh() -> None:
    assert the("HelmChartConfig", "traefik")["spec"]["failurePolicy"] == "reinstall"


def test_t3_it_runs_on_every_node_that_gets_requests() -> None:
    values = chart_values("traefik", "HelmChartConfig")
    assert values["deployment"] == {"kind": "DaemonSet"}
    # k3s' own tolerations stay, and no node is left out.
    assert not {"tolerations", "nodeSelector", "affinity"} & values.keys()


def test_a_request_stays_on_its_node_also_while_traefik_is_updated() -> None:
    values = chart_values("traefik", "HelmChartConfig")
    assert values["service"] == {"spec": {"externalTrafficPolicy": "Local"}}
    assert values["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1},
    }


def test_the_secure_entry_point_has_tls() -> None:
    values = chart_values("traefik", "HelmChartConfig")
    # Charts before 39 read `tls` one level higher; those from 39 on refuse it there.
    assert values["ports"] == {"websecure": {"http": {"tls": {"enabled": True}}}}


def test_it_asks_for_room() -> None:
    values = chart_values("traefik", "HelmChartConfig")
    assert values["resources"] == {"requests": {"cpu": "50m", "memory": "64Mi"}}
