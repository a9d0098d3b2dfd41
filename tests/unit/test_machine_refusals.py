"""What a NodeSpec refuses, and that whatever it accepts can be rendered."""

from __future__ import annotations

import dataclasses

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from raya.machine_config import MachineConfigError
from tests import machines
from tests.machines import entries

PRINTABLE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
SECRET = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters=":"), min_size=1)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "Control_Plane"}, "no host name"),
        ({"authorized_keys": ()}, "has no SSH key"),
        ({"node_password": " "}, "no node password"),
        ({"private_ip": "10.0.2.10"}, "private_ip 10.0.2.10 is outside of the subnet 10.0.1.0/24"),
        ({"control_plane_ip": "10.9.9.9"}, "control_plane_ip 10.9.9.9 is outside"),
        ({"gateway": "10.0.0"}, "10.0.0"),
        ({"route": "10.0.0.1/8"}, "host bits set"),
        ({"role": "worker"}, "role 'worker' is unknown"),
    ],
)
def test_a_spec_that_cannot_work_is_refused(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(MachineConfigError, match=reason):
        machines.agent(**changes)


@pytest.mark.parametrize("token", ["", "bare", "K10abc::server:x", f"K10{'0' * 64}::server:a b"])
def test_k5_an_agent_without_the_full_token_is_refused(token: str) -> None:
    with pytest.raises(MachineConfigError, match="must have the form K10") as caught:
        machines.agent(token=token)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize("token", ["", "a b", "a\n", f"K10{'0' * 64}::server:secret"])
def test_k5_a_control_plane_with_another_token_than_the_bare_one_is_refused(token: str) -> None:
    with pytest.raises(MachineConfigError, match="bare secret"):
        machines.control_plane(token=token)


@pytest.mark.parametrize(
    "changes",
    [{"pki": machines.fake_pki()}, {"volume_device": "/dev/sdb"}, {"manifests": {"raya-a.yaml": ""}}],
)
def test_an_agent_with_what_belongs_to_the_control_plane_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(MachineConfigError, match="no PKI, no state volume and no manifests"):
        machines.agent(**changes)


@pytest.mark.parametrize("device", [None, "", "/dev/sdb", "/dev/disk/by-id/a b", "/dev/disk/by-label/x"])
def test_h6_a_volume_without_a_stable_name_is_refused(device: str | None) -> None:
    with pytest.raises(MachineConfigError, match="volume_device"):
        machines.control_plane(volume_device=device)


def test_a_control_plane_without_its_cas_is_refused() -> None:
    with pytest.raises(MachineConfigError, match="needs the cluster's CAs"):
        machines.control_plane(pki=None)


@pytest.mark.parametrize(
    "name", ["traefik.yaml", "raya-a.yml", "raya-../a.yaml", "raya-A.yaml", "raya-.yaml"]
)
def test_a_manifest_that_could_collide_with_k3s_own_is_refused(name: str) -> None:
    with pytest.raises(MachineConfigError, match=r"raya-<component>\.yaml"):
        machines.control_plane(manifests={name: ""})


@settings(max_examples=40)
@given(secret=SECRET, key=PRINTABLE, cluster=PRINTABLE, label=PRINTABLE, manifest=ANY_TEXT, pem_text=ANY_TEXT)
def test_whatever_is_accepted_passes_butane_and_arrives_unchanged(
    secret: str, key: str, cluster: str, label: str, manifest: str, pem_text: str
) -> None:
    spec = machines.control_plane(
        token=secret.strip() or "x",
        authorized_keys=(key,),
        cluster_name=cluster,
        node_labels={"example.org/label": label},
        manifests={"raya-example.yaml": manifest},
        pki=dataclasses.replace(machines.fake_pki(), server_ca_cert=pem_text),
    )
    found = entries(spec)
    assert found["/etc/raya/manifests/raya-example.yaml"].contents.decode() == manifest
    assert found["/etc/raya/pki/server-ca.crt"].contents.decode() == pem_text
    assert found["/etc/raya/pki/token"].contents.decode() == f"{spec.token}\n"
    assert yaml.safe_load(found["/etc/rancher/k3s/config.yaml"].contents)["node-label"] == [
        f"example.org/label={label}"
    ]
