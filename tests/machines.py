"""The machines that the tests render: fixed values, and secrets that are obviously none."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from raya import machine_config
from raya.machine_config import ClusterPki, MachineConfig, NodeSpec
from raya.manifests import FILES, ManifestValues
from rendering import ignition
from rendering.ignition import IgnitionEntry

PROJECT_ROOT = Path(__file__).resolve().parent.parent
OVERLAY = PROJECT_ROOT / "butane" / "overlay"
FAKE_TOKEN = "fake-join-secret"
FAKE_HASH = "0123456789abcdef" * 4
VOLUME_DEVICE = "/dev/disk/by-id/scsi-0HC_Volume_123456789"


def fake_pki() -> ClusterPki:
    """A PKI whose files say which one they would be."""
    return ClusterPki(**{field.name: f"fake {field.name}\n" for field in fields(ClusterPki)})


def control_plane(**changes: object) -> NodeSpec:
    """The control plane, with what a test changes about it."""
    values: dict[str, object] = {
        "role": "control-plane",
        "name": "control-plane",
        "dns_name": "cp.k8s.example.org",
        "private_ip": "10.0.1.10",
        "token": FAKE_TOKEN,
        "node_password": "fake-password-of-control-plane",
        "node_labels": {},
        "volume_device": VOLUME_DEVICE,
        "pki": fake_pki(),
        "manifests": {"raya-example.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: example\n"},
    }
    return _spec(values, changes)


def agent(**changes: object) -> NodeSpec:
    """agent-3, with what a test changes about it."""
    values: dict[str, object] = {
        "role": "agent",
        "name": "agent-3",
        "dns_name": "a3.k8s.example.org",
        "private_ip": "10.0.1.23",
        "token": f"K10{FAKE_HASH}::server:{FAKE_TOKEN}",
        "node_password": "fake-password-of-agent-3",
        "node_labels": {"raya.dev/fleet": "file"},
    }
    return _spec(values, changes)


def render(spec: NodeSpec) -> MachineConfig:
    """The machine's config, from this project's templates."""
    return machine_config.render(spec, project_root=PROJECT_ROOT)


def entries(spec: NodeSpec) -> dict[str, IgnitionEntry]:
    """Path -> what Ignition will make there, read back from the user data."""
    return {entry.path: entry for entry in ignition.decode(render(spec).user_data)}


def manifest_values(**changes: object) -> ManifestValues:
    """Everything on, two zones."""
    values: dict[str, object] = {
        "cluster_name": "example",
        "location": "hel1",
        "gcp_project": "example-project",
        "managed_zone_name": "raya-k8s-example-org",
        "managed_zone": "k8s.example.org",
        "dns_zones": ("k8s.example.org", "example.net"),
        "acme_email": "admin@example.org",
        "acme_server": "https://acme-v02.api.letsencrypt.org/directory",
        "gitops_url": "https://git.example.org/cluster.git",
        "gitops_branch": "main",
        "gitops_path": "./deploy",
        "gitops_token": "fake-gitops-token",
        "hcloud_csi_token": "fake-hcloud-token",
        "external_dns_key": '{"private_key": "fake key of external-dns\\n"}',
        "cert_manager_key": '{"private_key": "fake key of cert-manager\\n"}',
        "components": dict.fromkeys(FILES, True),
    }
    return ManifestValues(**(values | changes))  # type: ignore[arg-type]


def _spec(values: dict[str, object], changes: dict[str, object]) -> NodeSpec:
    shared: dict[str, object] = {
        "cluster_name": "example",
        "gateway": "10.0.0.1",
        "route": "10.0.0.0/8",
        "nodes_subnet": "10.0.1.0/24",
        "control_plane_ip": "10.0.1.10",
        "authorized_keys": ("ssh-ed25519 AAAAfakeKeyOfAlice", "ssh-ed25519 AAAAfakeKeyOfBob"),
        "fcos_version": "44.20260720.3.1",
        "k3s_version": "v1.36.3+k3s1",
    }
    return NodeSpec(**(shared | values | changes))  # type: ignore[arg-type]
