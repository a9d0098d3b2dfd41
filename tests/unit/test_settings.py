"""What the settings make of a configuration that they accept."""

from __future__ import annotations

from ipaddress import IPv4Address
from pathlib import Path

import pytest

from tests.unit.example_stack import CSI_TOKEN, HCLOUD_TOKEN, SECRET_KEYS, load, problems


def test_defaults() -> None:
    settings = load()
    assert settings.location == "hel1"
    assert settings.control_plane.server_type == settings.agents.server_type == "cx23"
    assert settings.control_plane.volume_size_gb == 10
    assert str(settings.network.range) == "10.0.0.0/16"
    assert str(settings.network.nodes_subnet) == "10.0.1.0/24"
    assert str(settings.network.route) == "10.0.0.0/8"
    assert settings.dns_zones == ("k8s.example.org",)
    assert settings.acme.server == "https://acme-v02.api.letsencrypt.org/directory"
    assert (settings.gitops.branch, settings.gitops.path, settings.gitops.token) == ("main", "./deploy", None)
    assert settings.server_name_prefix == ""
    assert settings.endpoints.github == "https://github.com"
    assert all(settings.components.values())
    assert set(settings.components) == {"traefik", "external-dns", "cert-manager", "hcloud-csi", "flux"}


def test_what_follows_from_the_settings() -> None:
    settings = load({"raya:location": "ash"})
    assert settings.managed_zone == "k8s.example.org"
    assert settings.network_zone == "us-east"
    assert settings.addresses.gateway == IPv4Address("10.0.0.1")
    assert settings.addresses.control_plane == IPv4Address("10.0.1.10")
    assert settings.addresses.agent(3) == IPv4Address("10.0.1.23")
    assert settings.gcp_project == "example-dns"


def test_settings_cannot_be_changed() -> None:
    settings = load()
    with pytest.raises(ValueError, match="frozen"):
        settings.location = "fsn1"
    with pytest.raises(TypeError):
        settings.components["flux"] = False  # type: ignore[index]


def test_what_an_object_leaves_out_has_its_default() -> None:
    settings = load({"raya:controlPlane": {"serverType": "cpx22"}, "raya:components": {"flux": False}})
    assert settings.control_plane.volume_size_gb == 10
    assert dict(settings.components) == {
        "traefik": True, "external-dns": True, "cert-manager": True, "hcloud-csi": True, "flux": False,
    }  # fmt: skip


@pytest.mark.parametrize("spelled", ["example.org", "Example.ORG", "EXAMPLE.org."])
def test_domains_have_one_form(spelled: str) -> None:
    settings = load(
        {
            "raya:dnsParentZone": spelled,
            "raya:clusterManagedSubdomain": "K8s.",
            "raya:dnsZones": ["k8s.EXAMPLE.org.", "K8s.example.org", "Apps.Example.NET"],
        }
    )
    assert settings.dns_parent_zone == "example.org"
    assert settings.managed_zone == "k8s.example.org"
    assert settings.dns_zones == ("k8s.example.org", "apps.example.net")


def test_users_are_listed_once_whatever_the_case() -> None:
    assert load({"raya:authorizedUsers": ["alice", "Bob-2", "ALICE", "carol_corp"]}).authorized_users == (
        "alice",
        "Bob-2",
        "carol_corp",
    )


@pytest.mark.parametrize(
    ("given_sources", "sources"),
    [
        ([], []),
        (["0.0.0.0/0", "::/0"], ["0.0.0.0/0", "::/0"]),
        (["203.0.113.7", "2001:db8::1"], ["203.0.113.7/32", "2001:db8::1/128"]),
        (["203.0.113.7", "203.0.113.7/32"], ["203.0.113.7/32"]),
    ],
)
def test_ssh_sources(given_sources: list[str], sources: list[str]) -> None:
    firewall = load({"raya:firewall": {"sshSources": given_sources}}).firewall
    assert [str(source) for source in firewall.ssh_sources] == sources


def test_the_hetzner_token_may_be_in_the_environment() -> None:
    assert problems({"hcloud:token": None}, environment={"HCLOUD_TOKEN": HCLOUD_TOKEN}) == ()
    assert "HCLOUD_TOKEN in the environment: it has 3 characters" in "".join(
        problems({"hcloud:token": None}, environment={"HCLOUD_TOKEN": "abc"})
    )


def test_a_component_that_is_off_needs_nothing() -> None:
    off = {"raya:components": {"cert-manager": False, "flux": False, "hcloud-csi": False}}
    settings = load({**off, "raya:acme": None, "raya:gitops": None, "raya:hcloudCsiToken": None})
    assert (settings.acme.email, settings.gitops.url, settings.hcloud_csi_token) == ("", "", None)


def test_the_fleet_comes_from_the_default_file(tmp_path: Path) -> None:
    fleet_file = tmp_path / "deploy/fleet/agents.json"
    fleet_file.parent.mkdir(parents=True)
    fleet_file.write_text('{"agents": [{}, null, {}]}')
    fleet = load({"raya:fleet": None}, root=tmp_path).fleet
    assert fleet.from_file
    assert [agent.position for agent in fleet.agents] == [0, 2]


def test_a_secret_object_keeps_its_token_secret() -> None:
    gitops = {"url": "https://github.com/octocat/raya", "token": "canary-7f3a"}
    settings = load({"raya:gitops": gitops}, secret_keys=SECRET_KEYS | {"raya:gitops"})
    assert settings.gitops.token is not None
    assert settings.gitops.token.get_secret_value() == "canary-7f3a"
    assert "canary-7f3a" not in repr(settings)
    assert CSI_TOKEN not in repr(settings)
