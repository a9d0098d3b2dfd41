"""What the settings accept, what they refuse, and how the refusal reads."""

from __future__ import annotations

import json
import string
from ipaddress import IPv4Address, IPv4Network
from itertools import combinations
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raya.addressing import POD_RANGE, RESERVED_ADDRESS, SERVICE_RANGE
from raya.settings import Settings, SettingsError
from raya.stack_values import KEYS
from tests.unit.example_stack import (
    CSI_TOKEN,
    HCLOUD_TOKEN,
    NOWHERE,
    SECRET_KEYS,
    config_with,
    load,
    problems,
)


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


def test_independent_problems_come_together() -> None:
    sentences = problems(
        {
            "raya:clusterName": "A",
            "raya:location": "moon",
            "raya:typo": "x",
            "raya:controlPlane": {"serverType": 1, "volumeSizeGb": 1},
            "raya:network": {"range": "10.1.0.0/16", "route": "192.168.0.0/16"},
            "raya:fleet": [1, {"location": "mars"}],
            "raya:authorizedUsers": ["@a", "@b"],
            "hcloud:token": None,
        }
    )
    assert len(sentences) == 12, sentences


def test_one_bad_key_does_not_bring_a_wave_of_others() -> None:
    assert len(problems({"raya:network": "nonsense", "raya:fleet": [None] * 300 + [{}]})) == 1
    assert len(problems({"raya:components": {"flux": "no"}, "raya:gitops": None})) == 1


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({}, "pulumi config set --secret raya:hcloudCsiToken"),
        (
            {"raya:gitops": {"url": "https://github.com/o/r", "token": "canary-7f3a"}},
            "pulumi config set --secret --path raya:gitops.token",
        ),
        ({}, "pulumi config set --secret hcloud:token"),
    ],
)
def test_a_secret_in_clear_is_refused_with_the_command(changes: dict[str, Any], command: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        load(changes, secret_keys=())
    assert f"`{command}`" in str(refusal.value)
    assert "canary-7f3a" not in str(refusal.value)
    assert CSI_TOKEN not in str(refusal.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"raya:hcloudCsiToken": "canary-7f3a"},
        {"hcloud:token": "canary-7f3a"},
        {"raya:gitops": {"url": "https://canary-7f3a@github.com/o/r"}},
        {"raya:gitops": {"url": "https://user:canary-7f3a@github.com/o/r"}},
        {"raya:gitops": {"url": "https://github.com/o/r", "token": ["canary-7f3a"]}},
        {"raya:gitops": {"url": "https://github.com/o/r", "token": "canary-7f3a "}},
        {"raya:gitops": "canary-7f3a"},
        {"raya:gitops": ["canary-7f3a"]},
        {"raya:clusterName": "Canary-7f3a canary-7f3a"},
    ],
)
def test_no_secret_in_a_sentence(changes: dict[str, Any]) -> None:
    secret_keys = SECRET_KEYS | {"raya:gitops", "raya:clusterName"}
    sentences = problems(changes, secret_keys=secret_keys)
    assert sentences
    assert "canary-7f3a" not in "".join(sentences)


def test_the_whole_error_is_text_for_a_terminal() -> None:
    with pytest.raises(SettingsError, match=r"the configuration is refused:\n  raya:location is"):
        load({"raya:location": "moon"})


def test_a_sentence_stays_on_its_line() -> None:
    (sentence,) = problems({"raya:controlPlane": {"a\nb\x1b[2J": 1}})
    assert r"raya:controlPlane.a\nb\x1b[2J is not a key of raya" in sentence


def test_the_text_of_the_error_has_the_first_20_problems() -> None:
    with pytest.raises(SettingsError) as refusal:
        load({"raya:authorizedUsers": ["@"] * 20_000})
    head, *lines = str(refusal.value).splitlines()
    assert head == "the configuration is refused for 20000 reasons:"
    assert len(lines) == 21
    assert lines[20] == "  and 19980 more"


@pytest.mark.parametrize(
    "changes",
    [
        {"raya:location": "x" * 100_000},
        {f"raya:{'x' * 100_000}": "x"},
        {"raya:network": {"x" * 100_000: "x"}},
        {"raya:components": {"x" * 100_000: True}},
        {"raya:fleet": None, "raya:fleetFile": "x" * 100_000},
        {"raya:clusterManagedSubdomain": "x" * 100_000},
        {"raya:gitops": {"url": f"git@github.com:{'x' * 100_000}"}},
        {"raya:serverNamePrefix": "x" * 100_000, "raya:fleet": [{}]},
        {"raya:controlPlane": '{"volumeSizeGb": ' + "[" * 90 + "]" * 90 + "}"},
    ],
    ids=range(9),
)
def test_a_long_value_is_not_repeated_whole(changes: dict[str, Any]) -> None:
    sentences = problems(changes)
    assert sentences
    assert max(len(sentence) for sentence in sentences) < 1600


def test_a_fleet_file_behind_a_link_out_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text('{"agents": []}')
    project = tmp_path / "project"
    project.mkdir()
    (project / "inside.json").write_text('{"agents": [{}]}')
    (project / "out.json").symlink_to(tmp_path / "outside.json")
    (project / "in.json").symlink_to("inside.json")
    assert len(load({"raya:fleet": None, "raya:fleetFile": "in.json"}, root=project).fleet.agents) == 1
    (sentence,) = problems({"raya:fleet": None, "raya:fleetFile": "out.json"}, root=project)
    assert 'raya:fleetFile is "out.json": it must be a path inside the project' in sentence


@st.composite
def networks(draw: st.DrawFn) -> dict[str, str]:
    """Three networks, each usually but not always inside the one around it."""
    area = IPv4Network(draw(st.sampled_from(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "8.0.0.0/8"])))
    range_ = _part(draw, area, st.integers(area.prefixlen, 26))
    subnet = _part(
        draw, draw(st.sampled_from([range_, range_, range_, area])), st.integers(range_.prefixlen, 31)
    )
    route = draw(st.sampled_from([area, range_, range_.supernet(new_prefix=area.prefixlen), subnet]))
    return {"range": str(range_), "nodesSubnet": str(subnet), "route": str(route)}


def _part(draw: st.DrawFn, whole: IPv4Network, lengths: st.SearchStrategy[int]) -> IPv4Network:
    length = max(draw(lengths), whole.prefixlen)
    offset = draw(st.integers(0, 2 ** (length - whole.prefixlen) - 1)) << (32 - length)
    return IPv4Network((int(whole.network_address) + offset, length))


entries = st.sampled_from([{}, {}, None, {"serverType": "cax11"}, {"location": "nbg1"}])
fleets = st.lists(entries, max_size=8) | st.lists(entries, max_size=130)


def test_accepted_addresses_are_distinct_and_inside() -> None:
    accepted = 0

    @hypothesis.settings(max_examples=400)
    @given(networks(), fleets)
    def check(network: dict[str, str], fleet: list[Any]) -> None:
        nonlocal accepted
        try:
            settings = load({"raya:network": network, "raya:fleet": fleet})
        except SettingsError:
            return
        accepted += 1
        _addresses_hold(settings)

    check()
    assert accepted > 20


@given(fleets, st.data())
def test_retiring_an_agent_changes_nothing_of_the_others(fleet: list[Any], data: st.DataObject) -> None:
    fleet = fleet[:90]
    position = data.draw(st.integers(0, max(0, len(fleet) - 1)))
    before = load({"raya:fleet": fleet})
    after = load({"raya:fleet": [*fleet[:position], None, *fleet[position + 1 :]]})
    others = tuple(agent for agent in before.fleet.agents if agent.position != position)
    assert after.fleet.agents == others
    assert [after.addresses.agent(agent.position) for agent in others] == [
        before.addresses.agent(agent.position) for agent in others
    ]
    assert after.model_copy(update={"fleet": before.fleet}) == before


def _addresses_hold(settings: Settings) -> None:
    network = settings.network
    machines = [settings.addresses.control_plane]
    machines += [settings.addresses.agent(agent.position) for agent in settings.fleet.agents]
    taken = [settings.addresses.gateway, *machines]
    assert all(one != other for one, other in combinations(taken, 2))
    assert RESERVED_ADDRESS not in taken
    for address in machines:
        assert address in network.nodes_subnet
        assert address not in (network.nodes_subnet.network_address, network.nodes_subnet.broadcast_address)
    assert network.nodes_subnet.subnet_of(network.range)
    assert network.range.subnet_of(network.route)
    assert not network.range.overlaps(POD_RANGE)
    assert not network.range.overlaps(SERVICE_RANGE)
    assert all(address.is_private for address in taken)


@pytest.mark.parametrize("position", [236, 237, 238])
def test_the_reserved_address_inside_a_large_subnet(position: int) -> None:
    network = {"range": "172.31.0.0/16", "nodesSubnet": "172.31.0.0/23", "route": "172.16.0.0/12"}
    sentences = problems({"raya:network": network, "raya:fleet": [None] * position + [{}]})
    assert len(sentences) == (position == 237)
    assert all("agent-237 would be 172.31.1.1" in sentence for sentence in sentences)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=6,
)


# The first draw of text is slow: it loads Unicode's tables.
@hypothesis.settings(suppress_health_check=[hypothesis.HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from([f"raya:{key}" for key in KEYS]), json_values, max_size=4))
def test_anything_at_all_ends_in_settings_or_sentences(changes: dict[str, Any]) -> None:
    config = config_with({key: json.dumps(value) for key, value in changes.items()})
    try:
        Settings.load(config, secret_keys=SECRET_KEYS, root=NOWHERE, environment={})
        sentences: tuple[str, ...] = ("accepted",)
    except SettingsError as error:
        sentences = error.problems
    assert sentences
    assert all(sentence and "\n" not in sentence for sentence in sentences)


@given(st.text(alphabet=string.ascii_letters + string.digits + ".-_", max_size=70))
def test_accepted_subdomains_are_below_the_parent_and_stable(text: str) -> None:
    try:
        settings = load({"raya:clusterManagedSubdomain": text})
    except SettingsError:
        return
    assert settings.managed_zone.endswith(".example.org")
    assert settings.managed_zone == settings.managed_zone.lower()
    again = load({"raya:clusterManagedSubdomain": settings.cluster_managed_subdomain})
    assert again.managed_zone == settings.managed_zone
