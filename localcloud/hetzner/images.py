"""Images: one system image per architecture, and the snapshots that a seed brings."""

from localcloud.cloud import Cloud
from localcloud.hetzner.actions import action_reply, add_action_routes, new_id, start
from localcloud.hetzner.fields import by_id, flag, optional_text, public, require_unprotected
from localcloud.hetzner.labels import checked_labels
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import refusal
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

routes = Routes()
add_action_routes(routes, "images", "image")


def add_snapshot(
    cloud: Cloud,
    *,
    description: str,
    labels: dict[str, str],
    architecture: str,
    status: str = "available",
    disk_gb: int = 10,
) -> Json:
    """A snapshot, as a finished image build leaves it."""
    return _add(
        cloud,
        "snapshot",
        name=None,
        description=description,
        labels=labels,
        architecture=architecture,
        status=status,
        disk_gb=disk_gb,
        os_flavor="unknown",
        os_version=None,
    )


def add_system_image(cloud: Cloud, name: str, description: str, architecture: str) -> Json:
    """An image of Hetzner's own."""
    flavor, _, version = name.partition("-")
    return _add(
        cloud,
        "system",
        name=name,
        description=description,
        labels={},
        architecture=architecture,
        status="available",
        disk_gb=10,
        os_flavor=flavor,
        os_version=version,
    )


def _add(
    cloud: Cloud,
    kind: str,
    *,
    name: str | None,
    description: str,
    labels: dict[str, str],
    architecture: str,
    status: str,
    disk_gb: int,
    os_flavor: str,
    os_version: str | None,
) -> Json:
    number = new_id(cloud, "image")
    image = {
        "id": number,
        "status": status,
        "type": kind,
        "name": name,
        "description": description,
        "image_size": 0.9 if kind == "snapshot" else None,
        "disk_size": disk_gb,
        "created": cloud.clock.stamp(),
        "created_from": {"id": 1, "name": "image-build"} if kind == "snapshot" else None,
        "bound_to": None,
        "os_flavor": os_flavor,
        "os_version": os_version,
        "architecture": architecture,
        "rapid_deploy": kind == "system",
        "protection": {"delete": False},
        "deprecated": None,
        "deleted": None,
        "labels": labels,
    }
    return cloud.store.put("image", number, image)


@routes.get("/images")
def list_images(cloud: Cloud, call: Call) -> Reply:
    """The images, by name, labels, type, status or architecture"""
    return listing(
        call, "images", cloud.store.all("image"), public, ("name", "type", "status", "architecture")
    )


@routes.get("/images/{id}")
def get_image(cloud: Cloud, call: Call) -> Reply:
    """One image"""
    return Reply(200, {"image": public(by_id(cloud, "image", call.params["id"]))})


@routes.put("/images/{id}")
def update_image(cloud: Cloud, call: Call) -> Reply:
    """Change an image's description or labels"""
    image = by_id(cloud, "image", call.params["id"])
    description = optional_text(call.body, "description")
    if description is not None:
        image["description"] = description
    if "labels" in call.body:
        image["labels"] = checked_labels(call.body["labels"])
    cloud.store.put("image", image["id"], image)
    return Reply(200, {"image": public(image)})


@routes.delete("/images/{id}")
def delete_image(cloud: Cloud, call: Call) -> Reply:
    """Delete a snapshot"""
    image = by_id(cloud, "image", call.params["id"])
    require_unprotected(image, "image")
    if image["type"] == "system":
        raise refusal("forbidden", "an image of Hetzner's own cannot be deleted")
    cloud.store.delete("image", image["id"])
    cloud.event("image.delete", image["description"])
    return Reply(204)


@routes.post("/images/{id}/actions/change_protection")
def change_protection(cloud: Cloud, call: Call) -> Reply:
    """Protect a snapshot against deletion"""
    image = by_id(cloud, "image", call.params["id"])
    image["protection"] = {"delete": flag(call.body, "delete", image["protection"]["delete"])}
    return action_reply(cloud, start(cloud, "change_protection", [("image", image)]))
