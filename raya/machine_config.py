"""What one machine is told: a frozen NodeSpec -> Butane -> Ignition -> user data, size checked. Pure."""

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from rendering import butane, ignition, templates, user_data
from rendering.errors import RenderingError

Role = Literal["control-plane", "agent"]

PRIVATE_INTERFACE = "enp7s0"
"""The private network's interface on every current Hetzner server type (Hetzner's "Networks" FAQ)."""

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_BARE_TOKEN = re.compile(r"[^\s:]+")
_FULL_TOKEN = re.compile(r"K10[0-9a-f]{64}::server:[^\s:]+")
_DEVICE = re.compile(r"/dev/disk/by-id/[A-Za-z0-9._-]+")
# The prefix keeps our files apart from the ones that k3s itself puts into its auto-deploy directory.
_MANIFEST_NAME = re.compile(r"raya-[a-z0-9][-a-z0-9]*\.yaml")
_DIGEST_LENGTH = 12


class MachineConfigError(RenderingError):
    """A NodeSpec contradicts itself; the message names the machine and the field, never a secret's value."""


@dataclass(frozen=True, kw_only=True)
class ClusterPki:
    """The custom CAs that k3s takes as one set below `server/tls/`, each a PEM text."""

    server_ca_cert: str = field(repr=False)
    server_ca_key: str = field(repr=False)
    client_ca_cert: str = field(repr=False)
    client_ca_key: str = field(repr=False)
    request_header_ca_cert: str = field(repr=False)
    request_header_ca_key: str = field(repr=False)
    service_key: str = field(repr=False)

    @property
    def files(self) -> dict[str, str]:
        """File name in k3s' `server/tls/` -> PEM text."""
        return {
            "client-ca.crt": self.client_ca_cert,
            "client-ca.key": self.client_ca_key,
            "request-header-ca.crt": self.request_header_ca_cert,
            "request-header-ca.key": self.request_header_ca_key,
            "server-ca.crt": self.server_ca_cert,
            "server-ca.key": self.server_ca_key,
            "service.key": self.service_key,
        }


@dataclass(frozen=True, kw_only=True)
class NodeSpec:
    """Everything that differs from machine to machine; the one thing a template is given.

    `token` is the bare secret for the control plane, and ``K10<hash>::server:<secret>`` for an agent.
    Addresses and ranges are plain texts (``10.0.1.20``, ``10.0.0.0/8``). `volume_device`, `pki` and
    `manifests` (file name -> YAML) belong to the control plane alone.
    """

    role: Role
    name: str
    cluster_name: str
    dns_name: str
    private_ip: str
    gateway: str
    route: str
    nodes_subnet: str
    control_plane_ip: str
    token: str = field(repr=False)
    node_password: str = field(repr=False)
    authorized_keys: tuple[str, ...]
    node_labels: Mapping[str, str]
    fcos_version: str
    k3s_version: str
    volume_device: str | None = None
    pki: ClusterPki | None = field(default=None, repr=False)
    manifests: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check_texts(self)
        _check_addresses(self)
        _check_role(self)

    @property
    def private_interface(self) -> str:
        """Name of the interface that carries `private_ip`."""
        return PRIVATE_INTERFACE

    @property
    def token_file(self) -> str:
        """Where `token` is on the machine; the control plane keeps it beside its CAs."""
        return "/etc/raya/pki/token" if self.role == "control-plane" else "/etc/raya/token"


@dataclass(frozen=True, kw_only=True)
class MachineConfig:
    """One machine's config in its three forms. All of them hold secrets, so none of them is in the repr."""

    butane: str = field(repr=False)
    ignition: str = field(repr=False)
    user_data: str = field(repr=False)

    def digests(self, key: bytes) -> dict[str, str]:
        """Return path -> short digest of mode and contents, for files, directories, links, units and users.

        Two lists of digests tell which file of a machine changed. They are keyed (HMAC-SHA256), because the
        digest of a secret that can be guessed would give it away.
        """
        if not key:
            raise ValueError("digests need a key that is not empty.")
        return {entry.path: _digest(key, entry) for entry in ignition.decode(self.ignition)}


def render(spec: NodeSpec, *, project_root: Path) -> MachineConfig:
    """Render one machine's config from `butane/` below the project's root.

    Raises:
        RenderingError: a template, butane or the size limit refuses; the sentence says what and where.
    """
    root = project_root / "butane"
    text = templates.render(templates.environment(root), f"{spec.role}.bu.j2", node=spec)
    ignition_json = butane.to_ignition(text, files_dir=root / "overlay")
    return MachineConfig(
        butane=text, ignition=ignition_json, user_data=user_data.pack(ignition_json, machine=spec.name)
    )


def _digest(key: bytes, entry: ignition.IgnitionEntry) -> str:
    head = f"{entry.kind}\0{entry.path}\0{entry.mode}\0".encode()
    return hmac.new(key, head + entry.contents, hashlib.sha256).hexdigest()[:_DIGEST_LENGTH]


def _check_texts(spec: NodeSpec) -> None:
    if not _NAME.fullmatch(spec.name):
        raise MachineConfigError(
            f"the machine name {spec.name!r} is no host name (RFC 1123): at most 63 lower-case letters, "
            "digits and dashes, with a letter or digit at both ends."
        )
    if not spec.authorized_keys:
        raise MachineConfigError(f"{spec.name} has no SSH key: nobody could ever log in to it.")
    if not spec.node_password.strip():
        raise MachineConfigError(
            f"{spec.name} has no node password; without a stable one, a rebuilt machine cannot rejoin."
        )


def _check_addresses(spec: NodeSpec) -> None:
    try:
        subnet = ipaddress.IPv4Network(spec.nodes_subnet)
        ipaddress.IPv4Network(spec.route)
        ipaddress.IPv4Address(spec.gateway)
        private_ip = ipaddress.IPv4Address(spec.private_ip)
        control_plane_ip = ipaddress.IPv4Address(spec.control_plane_ip)
    except ValueError as error:
        raise MachineConfigError(f"{spec.name}: {error}.") from error
    for label, address in (("private_ip", private_ip), ("control_plane_ip", control_plane_ip)):
        if address not in subnet:
            raise MachineConfigError(f"{spec.name}: {label} {address} is outside of the subnet {subnet}.")


def _check_role(spec: NodeSpec) -> None:
    if spec.role == "agent":
        _check_agent(spec)
    elif spec.role == "control-plane":
        _check_control_plane(spec)
    else:
        raise MachineConfigError(f"{spec.name}: role {spec.role!r} is unknown; it is control-plane or agent.")


def _check_agent(spec: NodeSpec) -> None:
    if not _FULL_TOKEN.fullmatch(spec.token):
        raise MachineConfigError(
            f"{spec.name}: an agent's token must have the form K10<CA hash>::server:<secret>; "
            "otherwise the agent would trust whoever answers first."
        )
    if spec.pki is not None or spec.volume_device is not None or spec.manifests:
        raise MachineConfigError(f"{spec.name}: an agent gets no PKI, no state volume and no manifests.")


def _check_control_plane(spec: NodeSpec) -> None:
    if not _BARE_TOKEN.fullmatch(spec.token):
        raise MachineConfigError(
            f"{spec.name}: the control plane's token is the bare secret, without ':' and white space; "
            "k3s makes the K10 form from it and from the CA."
        )
    if spec.pki is None:
        raise MachineConfigError(f"{spec.name}: the control plane needs the cluster's CAs (pki).")
    if spec.volume_device is None or not _DEVICE.fullmatch(spec.volume_device):
        raise MachineConfigError(
            f"{spec.name}: volume_device is {spec.volume_device!r}; it must be a stable name such as "
            "/dev/disk/by-id/scsi-0HC_Volume_<id>."
        )
    for name in spec.manifests:
        if not _MANIFEST_NAME.fullmatch(name):
            raise MachineConfigError(
                f"{spec.name}: the manifest {name!r} must be named raya-<component>.yaml, so that it cannot "
                "collide with a file that k3s deploys itself."
            )
