"""What a machine's config costs in user data, and the digests that tell two configs apart."""

from __future__ import annotations

import dataclasses
import random
import secrets
import string
from concurrent.futures import ThreadPoolExecutor

import pytest

from raya import throwaway_keys
from raya.machine_config import MachineConfig, NodeSpec
from rendering import ignition
from rendering.errors import UserDataTooLargeError
from rendering.user_data import LIMIT_BYTES
from tests import machines
from tests.largest_cluster import ed25519_keys, rsa_keys, user_data_bytes
from tests.machines import entries, render


def pem(name: str, size_bytes: int) -> str:
    source = random.Random(name)
    return f"{name}\n" + "".join(source.choices(string.ascii_letters + string.digits, k=size_bytes))


def largest_control_plane(**changes: object) -> NodeSpec:
    manifests = {
        name: pem(name, 200) + "key: value of some length\n" * 40
        for name in ("raya-traefik.yaml", "raya-hcloud-csi.yaml", "raya-flux.yaml", "raya-flux-sync.yaml")
    }
    # A service account's key is a JSON file around an RSA key of 2048 bits.
    manifests |= {
        name: pem(name, 1700) + "key: value of some length\n" * 60
        for name in ("raya-external-dns.yaml", "raya-cert-manager.yaml")
    }
    pki = dataclasses.replace(
        machines.fake_pki(),
        **{name: pem(name, 800) for name in ("server_ca_cert", "client_ca_cert", "request_header_ca_cert")},
        **{name: pem(name, 230) for name in ("server_ca_key", "client_ca_key", "request_header_ca_key")},
        service_key=pem("service", 1700),
    )
    defaults = {"authorized_keys": rsa_keys(10), "manifests": manifests, "pki": pki, "cluster_name": "c" * 63}
    return machines.control_plane(**(defaults | changes))


def test_f14_ten_large_keys_and_everything_on_fit() -> None:
    sizes = [len(render(spec).user_data.encode()) for spec in (largest_control_plane(), machines.agent())]
    assert max(sizes) <= LIMIT_BYTES


def test_f14_ten_keys_and_the_longest_names_leave_a_fifth_of_the_room() -> None:
    assert user_data_bytes(ed25519_keys(10)) <= 0.8 * LIMIT_BYTES


def test_f14_ten_keys_of_the_largest_kind_and_the_longest_names_fit() -> None:
    assert user_data_bytes(rsa_keys(10)) <= LIMIT_BYTES


def test_f14_an_agent_with_ten_large_keys_fits() -> None:
    spec = machines.agent(
        name="a" * 63, dns_name=f"{'a' * 63}.{'b' * 63}.example.org", authorized_keys=rsa_keys(10)
    )
    assert len(render(spec).user_data.encode()) <= LIMIT_BYTES


def test_f14_too_much_is_refused_with_what_takes_the_room() -> None:
    with pytest.raises(UserDataTooLargeError) as caught:
        render(largest_control_plane(authorized_keys=rsa_keys(40)))
    assert caught.value.contributors[0][0] == "user:core"
    assert "user:core" in str(caught.value)


def test_f14_a_text_that_is_not_ascii_arrives() -> None:
    spec = machines.control_plane(manifests={"raya-example.yaml": "# ü😀\n" * 100})
    assert entries(spec)["/etc/raya/manifests/raya-example.yaml"].contents.decode() == "# ü😀\n" * 100


def test_an_agent_with_two_small_keys_takes_a_quarter_of_the_limit() -> None:
    spec = machines.agent(
        dns_name=f"a99.{'k' * 32}.example.org",
        authorized_keys=(throwaway_keys.authorized_key(), throwaway_keys.authorized_key()),
        token=f"K10{secrets.token_hex(32)}::server:{secrets.token_urlsafe(36)}",
        node_password=secrets.token_hex(16),
    )
    assert len(render(spec).user_data.encode()) <= LIMIT_BYTES / 4


def test_a_hundred_machines_are_told_a_hundred_things() -> None:
    specs = [machines.agent(name=f"agent-{i}", private_ip=f"10.0.1.{20 + i}") for i in range(100)]
    with ThreadPoolExecutor(4) as pool:
        configs = list(pool.map(render, specs))
    assert len({config.user_data for config in configs}) == 100


def test_digests_show_which_file_changed_and_nothing_else() -> None:
    before = render(machines.agent()).digests(b"key")
    after = render(machines.agent(node_password="another")).digests(b"key")
    assert set(before) == set(after)
    assert {path for path in before if before[path] != after[path]} == {"/etc/rancher/node/password"}


def test_digests_name_files_units_directories_and_users() -> None:
    paths = set(render(machines.control_plane()).digests(b"key"))
    assert paths >= {"user:core", "unit:k3s.service", "/etc/raya/pki", "/etc/systemd/system/k3s.service"}


def test_digests_are_keyed_and_short() -> None:
    config = render(machines.agent())
    one, other = config.digests(b"key"), config.digests(b"another key")
    assert all(one[path] != other[path] for path in one)
    assert {len(digest) for digest in one.values()} == {12}
    with pytest.raises(ValueError, match="not empty"):
        config.digests(b"")


def test_a_changed_mode_is_a_changed_digest() -> None:
    def digests(mode: int) -> dict[str, str]:
        contents = {"source": "data:,x"}
        file = {"path": "/a", "mode": mode, "contents": contents}
        text = ignition.compact({"ignition": {"version": "3.5.0"}, "storage": {"files": [file]}})
        return MachineConfig(butane="", ignition=text, user_data=text).digests(b"key")

    assert digests(0o600) != digests(0o644)


def test_nothing_secret_is_in_a_repr() -> None:
    spec = machines.control_plane()
    shown = repr(spec) + repr(render(spec)) + repr(spec.pki)
    for secret in (spec.token, spec.node_password, "fake server_ca_key"):
        assert secret not in shown
