"""What exists from the beginning: projects, zones, users and snapshots. Planting twice changes nothing."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import Field

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.given import Given, checked
from localcloud.google.dns_zones import add_zone, zone_key
from localcloud.google.projects import add_project
from localcloud.hetzner.images import add_snapshot, add_system_image
from localcloud.hetzner.labels import checked_labels
from localcloud.projects import DEFAULT_PROJECT, add_token, all_projects
from localcloud.settings import checked_settings
from localcloud.store import Json

DEFAULT_SEED = Path(__file__).with_name("seed.json")
SYSTEM_IMAGES = (("debian-12", "Debian 12"), ("ubuntu-24.04", "Ubuntu 24.04"))
# How a pin file names an architecture, and how the API does.
ARCHITECTURES = {"x86_64": "x86", "aarch64": "arm"}

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
"""A project's name; also what the store's tables are called after."""


class ProjectSeed(Given):
    """A Google project, and the APIs that nobody has enabled in it."""

    id: Name
    disabled_apis: list[str] | None = None


class ZoneSeed(Given):
    """A public zone of a Google project, with or without the final dot."""

    project: Name
    name: Name
    dns_name: Annotated[str, Field(pattern=r"^([a-z0-9_][a-z0-9_-]{0,62}\.)*[a-z0-9_][a-z0-9_-]{0,62}\.?$")]


class SnapshotSeed(Given):
    """A snapshot as an image build leaves it; another description is another snapshot."""

    labels: dict[str, str] = Field(default_factory=dict)
    architecture: Literal["x86", "arm"] = "x86"
    description: str = "snapshot"
    status: Literal["available", "creating", "unavailable"] = "available"
    disk_gb: Annotated[int, Field(ge=1, le=10_000)] = 10
    project: Name = DEFAULT_PROJECT


class TokenSeed(Given):
    """A token, and the Hetzner project that it opens. Once one is named, all others are refused."""

    token: Annotated[str, Field(min_length=64, max_length=64)]
    project: Name = DEFAULT_PROJECT
    read_only: bool = False


class Seed(Given):
    """All that a seed may name. A user without keys (null) gets a new one."""

    projects: list[Name | ProjectSeed] = Field(default_factory=list)
    zones: list[ZoneSeed] = Field(default_factory=list)
    users: dict[str, list[str] | None] = Field(default_factory=dict)
    tokens: list[TokenSeed] = Field(default_factory=list)
    snapshots: list[SnapshotSeed] = Field(default_factory=list)
    settings: Json = Field(default_factory=dict)


def plant(cloud: Cloud, seed: Json) -> None:
    """Add what a seed names and is not there yet; refuse it whole when a part of it is wrong."""
    checked_seed = checked(Seed, "a seed", seed)
    settings = checked_settings(checked_seed.settings)
    for entry in checked_seed.projects:
        _plant_project(cloud, ProjectSeed(id=entry) if isinstance(entry, str) else entry)
    for zone in checked_seed.zones:
        _plant_zone(cloud, zone)
    for user, keys in checked_seed.users.items():
        _plant_user(cloud, user, keys)
    for token in checked_seed.tokens:
        add_token(cloud.base, token.token, token.project, read_only=token.read_only)
    for project in all_projects(cloud.base):
        _plant_system_images(cloud.of(project))
    for snapshot in checked_seed.snapshots:
        _plant_snapshot(cloud.of(snapshot.project), snapshot)
    there = cloud.base.get("settings", "settings") or {}
    cloud.base.put("settings", "settings", there | settings)


def _plant_system_images(cloud: Cloud) -> None:
    if not cloud.store.all("image"):
        for name, description in SYSTEM_IMAGES:
            for architecture in ARCHITECTURES.values():
                add_system_image(cloud, name, description, architecture)


def _plant_project(cloud: Cloud, entry: ProjectSeed) -> None:
    project = cloud.store.get("project", entry.id) or add_project(cloud, entry.id, [])
    if entry.disabled_apis is not None:
        cloud.store.put("project", entry.id, project | {"disabledApis": entry.disabled_apis})


def _plant_zone(cloud: Cloud, zone: ZoneSeed) -> None:
    project = cloud.store.get("project", zone.project) or add_project(cloud, zone.project, [])
    dns_name = zone.dns_name.rstrip(".") + "."
    if cloud.store.get("zone", zone_key(project, zone.name)) is None:
        body = {"name": zone.name, "dnsName": dns_name, "description": "planted by a seed"}
        add_zone(cloud, project, body)


def _plant_user(cloud: Cloud, user: str, keys: list[str] | None) -> None:
    there = cloud.store.get("github_user", user.lower())
    if keys is None:
        # A new key at each start would rebuild every machine that it may log in to.
        keys = there["keys"] if there else [_new_public_key()]
    cloud.store.put("github_user", user.lower(), {"name": user, "keys": keys})


def _new_public_key() -> str:
    public = Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def _plant_snapshot(cloud: Cloud, snapshot: SnapshotSeed) -> None:
    fields = ("labels", "architecture", "description")
    wanted = [checked_labels(snapshot.labels), snapshot.architecture, snapshot.description]
    if wanted not in ([image[field] for field in fields] for image in cloud.store.all("image")):
        add_snapshot(
            cloud,
            labels=snapshot.labels,
            architecture=snapshot.architecture,
            description=snapshot.description,
            status=snapshot.status,
            disk_gb=snapshot.disk_gb,
        )


def read_seed(path: Path) -> Json:
    """A seed file."""
    seed: Any = json.loads(path.read_text())
    try:
        checked(Seed, "a seed", seed)
    except ApiError as error:
        raise ValueError(f"{path}: {error.message}") from None
    return dict(seed)


def seed_from_pins(folder: Path) -> Json:
    """The snapshots that an image build with these pins leaves, one per architecture that both pins have."""
    fcos, k3s = (read_pin(folder / name) for name in ("fcos.pin", "k3s.pin"))
    fcos_version, k3s_version = (pin.get("version", "").replace("+", "-") for pin in (fcos, k3s))
    labels = {"managed_by": "raya", "os": "fcos", "fcos_version": fcos_version, "k3s_version": k3s_version}
    snapshots = [
        {
            "labels": labels,
            "architecture": api_name,
            "description": f"fcos {fcos_version} k3s {k3s_version} {pin_name}",
        }
        for pin_name, api_name in ARCHITECTURES.items()
        if all(pin.get(f"sha256_{pin_name}") for pin in (fcos, k3s))
    ]
    return {"snapshots": snapshots}


def read_pin(path: Path) -> dict[str, str]:
    """A pin file (KEY=value lines, `#` comments); keys in lower case, without the file's stem in front."""
    values = {}
    for line in path.read_text().splitlines():
        key, separator, value = line.partition("=")
        if separator and not line.lstrip().startswith("#"):
            values[key.strip().lower().removeprefix(path.stem + "_")] = value.strip().strip("'\"")
    return values
