"""What holds for every network, fleet and name that the settings accept, and for anything else."""

from __future__ import annotations

import json
import string
from ipaddress import IPv4Network
from itertools import combinations
from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raya.addressing import POD_RANGE, RESERVED_ADDRESS, SERVICE_RANGE
from raya.settings import Settings, SettingsError
from raya.stack_values import KEYS
from tests.unit.example_stack import NOWHERE, SECRET_KEYS, config_with, load, problems


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
