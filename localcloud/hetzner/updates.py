"""What the update of every named thing takes: another name, other labels."""

from collections.abc import Callable

from localcloud.cloud import Cloud
from localcloud.hetzner.fields import name, require_unique
from localcloud.hetzner.labels import checked_labels
from localcloud.store import Json


def rename_and_relabel(
    cloud: Cloud, kind: str, thing: Json, body: Json, read_name: Callable[[Json], str] = name
) -> None:
    """Put the name and the labels of an update's body into `thing`; what is absent or null stays.

    `read_name` reads the body's name by the kind's own rule. The caller stores the thing.
    """
    if body.get("name") is not None:
        new_name = read_name(body)
        require_unique(cloud, kind, new_name, thing["id"])
        thing["name"] = new_name
    if body.get("labels") is not None:
        thing["labels"] = checked_labels(body["labels"])
