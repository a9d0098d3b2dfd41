"""Whatever the settings accept becomes machines, within the limit and through butane --strict."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raya import throwaway, throwaway_keys
from raya.machine_config import NodeSpec
from raya.machine_specs import FLEET_LABEL, AgentSecrets, MachineSpecs, device_path
from raya.pins import Pins
from raya.rehearsal import every_machine, rehearse
from rendering.user_data import LIMIT_BYTES
from tests.machines import PROJECT_ROOT
from tests.unit import example_stack

KEY = throwaway_keys.authorized_key()
# Secrets are random: the same text with other ones is compressed to some bytes more or less.
RANDOM_BYTES = 64
LABEL = st.from_regex(r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?", fullmatch=True)
ENTRY = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "serverType": st.sampled_from(["cpx22", "cax21"]),
        "location": st.sampled_from(["fsn1", "nbg1"]),
    },
)
# Rendering is what costs here: few examples, each of a whole cluster.
CLUSTERS = settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])


def _specs(changes: dict[str, Any]) -> MachineSpecs:
    return MachineSpecs(
        settings=example_stack.load(changes),
        pins=Pins.load(PROJECT_ROOT / "image"),
        authorized_keys=(KEY,),
        project_root=PROJECT_ROOT,
    )


@CLUSTERS
@given(
    cluster=LABEL,
    subdomain=LABEL,
    parent=st.lists(LABEL, min_size=1, max_size=4).map(lambda labels: ".".join([*labels, "example"])),
    prefix=st.just("") | LABEL.map(lambda label: f"{label[:20]}-"),
    network=st.sampled_from([("10.0.0.0/16", "10.0.1.0/24"), ("192.168.0.0/16", "192.168.3.0/26")]),
    off=st.sets(st.sampled_from(["traefik", "external-dns", "cert-manager", "hcloud-csi", "flux"])),
    fleet=st.lists(ENTRY, max_size=5),
)
def test_accepted_settings_render_within_the_limit(
    cluster: str,
    subdomain: str,
    parent: str,
    prefix: str,
    network: tuple[str, str],
    off: set[str],
    fleet: list[Any],
) -> None:
    ip_range, nodes_subnet = network
    specs = _specs(
        {
            "raya:clusterName": cluster,
            "raya:clusterManagedSubdomain": subdomain,
            "raya:dnsParentZone": parent,
            "raya:serverNamePrefix": prefix,
            "raya:network": {"range": ip_range, "nodesSubnet": nodes_subnet, "route": ip_range},
            "raya:components": dict.fromkeys(off, False),
            "raya:fleet": fleet,
        }
    )
    rendered = list(every_machine(specs, throwaway.ThrowawaySecrets(specs.settings, throwaway_keys.pki())))
    live = [entry for entry in fleet if entry is not None]
    assert len(rendered) == 1 + len(live)
    assert all(len(config.user_data.encode()) <= LIMIT_BYTES for _, config in rendered)
    assert len({spec.name for spec, _ in rendered}) == len(rendered)
    assert len({spec.private_ip for spec, _ in rendered}) == len(rendered)


@pytest.mark.parametrize("fleet", [[], [{}], [{}] * 11], ids=len)
def test_a_rehearsal_takes_the_control_plane_and_the_agent_with_the_longest_name(fleet: list[Any]) -> None:
    names = [spec.name for spec, _ in rehearse(_specs({"raya:fleet": fleet}))]
    assert names == ["control-plane", *(["agent-10"] if len(fleet) > 10 else ["agent-0"] * len(fleet))]


@given(number=st.integers(0, 99))
@settings(max_examples=20)
def test_one_agent_stands_for_all_of_them(number: int) -> None:
    specs = _specs({"raya:fleet": [*[None] * number, {}]})
    rendered = {spec.name: len(config.user_data) for spec, config in rehearse(specs)}
    *_, largest = rehearse(_specs({"raya:fleet": [*[None] * 99, {}]}))
    assert rendered[f"agent-{number}"] <= len(largest[1].user_data) + RANDOM_BYTES


def test_noise_is_as_long_as_the_secrets_that_it_stands_for() -> None:
    noise, real = asdict(throwaway.noise_pki()), asdict(throwaway_keys.pki())
    for name, text in real.items():
        assert 0 <= len(noise[name]) - len(text) <= 48, name


def _agents(fleet: list[Any]) -> dict[str, NodeSpec]:
    specs = _specs({"raya:fleet": fleet})
    secrets = AgentSecrets(agent_token=f"K10{'0' * 64}::server:secret", node_password="password")
    return {agent.name: specs.agent(agent, secrets) for agent in specs.settings.fleet.agents}


@given(fleet=st.lists(ENTRY, min_size=1, max_size=20), data=st.data())
def test_retiring_one_agent_changes_nothing_of_the_others(fleet: list[Any], data: st.DataObject) -> None:
    retired = data.draw(st.integers(0, len(fleet) - 1))
    before = _agents(fleet)
    after = _agents([None if position == retired else entry for position, entry in enumerate(fleet)])
    before.pop(f"agent-{retired}", None)
    assert after == before


def test_control_plane_device_is_the_volumes_path_by_id() -> None:
    assert device_path("42") == "/dev/disk/by-id/scsi-0HC_Volume_42"


def test_only_agents_of_the_fleet_file_carry_the_label_that_the_reaper_looks_for(tmp_path: Path) -> None:
    (tmp_path / "agents.json").write_text('{"agents": [{}]}')
    secrets = AgentSecrets(agent_token=f"K10{'0' * 64}::server:secret", node_password="password")
    labels = {}
    for name, loaded in {
        "file": example_stack.load({"raya:fleet": None, "raya:fleetFile": "agents.json"}, root=tmp_path),
        "stack": example_stack.load({"raya:fleet": [{}]}),
    }.items():
        specs = replace(_specs({}), settings=loaded)
        labels[name] = specs.agent(loaded.fleet.agents[0], secrets).node_labels
    assert labels == {"file": {FLEET_LABEL: "file"}, "stack": {}}
