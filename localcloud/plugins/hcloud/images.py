"""Functions that look images up by id, name or labels."""

from __future__ import annotations

from hcloud.images import BoundImage

from ..errors import InvalidInput, StandInError
from ..fields import BOOLEAN, INTEGER, STRING, STRING_MAP, STRINGS, ListOf, Record, fields, may, out
from ..resource import Properties
from .connection import found
from .lookups import Lookup, list_id, time_text

IMAGE = fields(
    architecture=out(STRING),
    created=out(STRING),
    deprecated=out(STRING),
    description=out(STRING),
    id=out(INTEGER),
    labels=out(STRING_MAP),
    name=out(STRING),
    osFlavor=out(STRING),
    osVersion=out(STRING),
    rapidDeploy=out(BOOLEAN),
    type=out(STRING),
)


class GetImage(Lookup):
    """One image by id, name or selector. Several fit: an error, unless mostRecent."""

    token = "hcloud:index/getImage:getImage"
    inputs = fields(
        id=may(INTEGER),
        includeDeprecated=may(BOOLEAN),
        mostRecent=may(BOOLEAN),
        name=may(STRING),
        selector=may(STRING),
        withArchitecture=may(STRING),
        withSelector=may(STRING),
        withStatuses=may(STRINGS),
    )
    outputs = fields(**{**inputs, **IMAGE})

    def call(self, arguments: Properties) -> Properties:
        return {**arguments, **image_outputs(self._one(arguments))}

    def _one(self, arguments: Properties) -> BoundImage:
        images, number = self._cloud.client.images, arguments.get("id")
        selector = arguments.get("withSelector") or arguments.get("selector")
        if number:
            image = found(lambda: images.get_by_id(number))
            if image is None:
                raise InvalidInput("id", f"no image found with id {number}")
            return image
        if not arguments.get("name") and not selector:
            raise InvalidInput("name", "give one of id, name and withSelector to look an image up")
        # The first page only, and the first item of it: the official client does the same.
        matches = images.get_list(
            name=arguments.get("name"),
            label_selector=selector,
            architecture=[arguments.get("withArchitecture", "x86")],
            include_deprecated=arguments.get("includeDeprecated"),
            sort=["created:desc"] if arguments.get("mostRecent") else None,
        ).images
        matches = _with_status(matches, arguments)
        wanted = f"name {arguments['name']!r}" if arguments.get("name") else f"selector {selector!r}"
        if not matches:
            raise StandInError(f"no image found for {wanted}")
        if len(matches) > 1 and not arguments.get("mostRecent"):
            raise StandInError(f"more than one image found for {wanted}: set mostRecent or select further")
        return matches[0]


class GetImages(Lookup):
    """All images that fit; mostRecent puts the newest first."""

    token = "hcloud:index/getImages:getImages"
    inputs = fields(
        includeDeprecated=may(BOOLEAN),
        mostRecent=may(BOOLEAN),
        withArchitectures=may(STRINGS),
        withSelector=may(STRING),
        withStatuses=may(STRINGS),
    )
    outputs = fields(**inputs, id=out(STRING), images=out(ListOf(Record(IMAGE))))

    def call(self, arguments: Properties) -> Properties:
        images = self._cloud.client.images.get_all(
            label_selector=arguments.get("withSelector"),
            architecture=arguments.get("withArchitectures"),
            include_deprecated=arguments.get("includeDeprecated"),
        )
        images = _with_status(images, arguments)
        if arguments.get("mostRecent"):
            images = sorted(images, key=lambda image: time_text(image.created), reverse=True)
        listed = [image_outputs(image) for image in images]
        return {**arguments, "id": list_id(listed), "images": listed}


def _with_status(images: list[BoundImage], arguments: Properties) -> list[BoundImage]:
    """Those with a wanted status: the Python client (2.27.0) sends its page size as the status instead."""
    wanted = arguments.get("withStatuses")
    return [image for image in images if not wanted or image.status in wanted]


def image_outputs(image: BoundImage) -> Properties:
    """One image as the functions give it."""
    return {
        "architecture": image.architecture,
        "created": time_text(image.created),
        "deprecated": time_text(image.deprecated),
        "description": image.description or "",
        "id": image.id,
        "labels": image.labels or {},
        "name": image.name or "",
        "osFlavor": image.os_flavor or "",
        "osVersion": image.os_version or "",
        "rapidDeploy": bool(image.rapid_deploy),
        "type": image.type,
    }
