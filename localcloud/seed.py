"""What exists from the beginning: projects, zones, users and snapshots. Planting twice changes nothing."""

import json
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.google.dns_zones import add_zone, zone_key
from localcloud.google.projects import add_project
from localcloud.hetzner.images import add_snapshot, add_system_image
from localcloud.store import Json

DEFAULT_SEED = Path(__file__).with_name("seed.json")
KEYS = ("projects", "zones", "users", "snapshots", "settings")
SYSTEM_IMAGES = (("debian-12", "Debian 12"), ("ubuntu-24.04", "Ubuntu 24.04"))
# How a pin file names an architecture, and how the API does.
ARCHITECTURES = {"x86_64": "x86", "aarch64": "arm"}


def plant(cloud: Cloud, seed: Json) -> None:
    """Add what a seed names and is not there yet.

    Keys: projects [id, or {id, disabledApis: [api]}], zones [{project, name, dnsName}], users {name: [key],
    or null for a new key}, snapshots [{labels, architecture, description?, status?}; another description is
    another snapshot], settings {name: value}.
    """
    if unknown := sorted(set(seed) - set(KEYS)):
        raise ApiError(
            400, "invalid_input", f"a seed has no key {', '.join(unknown)}; it has {', '.join(KEYS)}"
        )
    _plant_system_images(cloud)
    for entry in seed.get("projects", []):
        _plant_project(cloud, {"id": entry} if isinstance(entry, str) else entry)
    for zone in seed.get("zones", []):
        _plant_zone(cloud, zone)
    for user, keys in seed.get("users", {}).items():
        _plant_user(cloud, user, keys)
    for snapshot in seed.get("snapshots", []):
        _plant_snapshot(cloud, snapshot)
    if "settings" in seed:
        cloud.store.put(
            "settings", "settings", (cloud.store.get("settings", "settings") or {}) | seed["settings"]
        )


def _plant_system_images(cloud: Cloud) -> None:
    if not cloud.store.all("image"):
        for name, description in SYSTEM_IMAGES:
            for architecture in ARCHITECTURES.values():
                add_system_image(cloud, name, description, architecture)


def _plant_project(cloud: Cloud, entry: Json) -> None:
    project = cloud.store.get("project", entry["id"]) or add_project(cloud, entry["id"], [])
    if "disabledApis" in entry:
        cloud.store.put("project", entry["id"], project | {"disabledApis": entry["disabledApis"]})


def _plant_zone(cloud: Cloud, zone: Json) -> None:
    project = cloud.store.get("project", zone["project"]) or add_project(cloud, zone["project"], [])
    dns_name = zone["dnsName"].rstrip(".") + "."
    if cloud.store.get("zone", zone_key(project, zone["name"])) is None:
        add_zone(
            cloud, project, {"name": zone["name"], "dnsName": dns_name, "description": "planted by a seed"}
        )


def _plant_user(cloud: Cloud, user: str, keys: list[str] | None) -> None:
    there = cloud.store.get("github_user", user.lower())
    if keys is None:
        # A new key at each start would rebuild every machine that it may log in to.
        keys = there["keys"] if there else [_new_public_key()]
    cloud.store.put("github_user", user.lower(), {"name": user, "keys": keys})


def _new_public_key() -> str:
    public = Ed25519PrivateKey.generate().public_key()
    return public.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()


def _plant_snapshot(cloud: Cloud, snapshot: Json) -> None:
    labels, architecture = snapshot.get("labels", {}), snapshot.get("architecture", "x86")
    description = snapshot.get("description", "snapshot")
    for image in cloud.store.all("image"):
        if [image[key] for key in ("labels", "architecture", "description")] == [
            labels,
            architecture,
            description,
        ]:
            return
    add_snapshot(
        cloud,
        description=description,
        labels=labels,
        architecture=architecture,
        status=snapshot.get("status", "available"),
    )


def read_seed(path: Path) -> Json:
    """A seed file."""
    seed: Any = json.loads(path.read_text())
    if not isinstance(seed, dict):
        raise ValueError(f"{path}: a seed is a JSON object with the keys {', '.join(KEYS)}")
    return seed


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
