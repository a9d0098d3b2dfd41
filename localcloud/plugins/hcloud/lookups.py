"""Functions that look up server types, locations and volumes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from hcloud.locations import BoundLocation
from hcloud.server_types import BoundServerType
from hcloud.volumes import BoundVolume

from ..errors import InvalidInput, StandInError
from ..fields import BOOLEAN, INTEGER, NUMBER, STRING, STRING_MAP, STRINGS, ListOf, Record, fields, may, out
from ..resource import Function, Properties
from .connection import Connection, found, is_protected

LOCATION = fields(
    city=out(STRING),
    country=out(STRING),
    description=out(STRING),
    id=out(INTEGER),
    latitude=out(NUMBER),
    longitude=out(NUMBER),
    name=out(STRING),
    networkZone=out(STRING),
)
TYPE_LOCATION = fields(
    available=out(BOOLEAN),
    deprecationAnnounced=out(STRING),
    id=out(INTEGER),
    isDeprecated=out(BOOLEAN),
    name=out(STRING),
    recommended=out(BOOLEAN),
    unavailableAfter=out(STRING),
)
SERVER_TYPE = fields(
    architecture=out(STRING),
    category=out(STRING),
    cores=out(INTEGER),
    cpuType=out(STRING),
    deprecationAnnounced=out(STRING),
    description=out(STRING),
    disk=out(INTEGER),
    id=out(INTEGER),
    includedTraffic=out(INTEGER),
    isDeprecated=out(BOOLEAN),
    locations=out(ListOf(Record(TYPE_LOCATION))),
    memory=out(INTEGER),
    name=out(STRING),
    storageType=out(STRING),
    unavailableAfter=out(STRING),
)
VOLUME = fields(
    deleteProtection=out(BOOLEAN),
    id=out(INTEGER),
    labels=out(STRING_MAP),
    linuxDevice=out(STRING),
    location=out(STRING),
    name=out(STRING),
    serverId=out(INTEGER),
    size=out(INTEGER),
)


class Lookup(Function):
    """A function that asks the API."""

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud


class GetServerType(Lookup):
    """One server type by id or name."""

    token = "hcloud:index/getServerType:getServerType"
    inputs = fields(id=may(INTEGER), name=may(STRING))
    outputs = SERVER_TYPE

    def call(self, arguments: Properties) -> Properties:
        return _server_type(_one_of(self._cloud.client.server_types, arguments, "server type"))


class GetServerTypes(Lookup):
    """All server types."""

    token = "hcloud:index/getServerTypes:getServerTypes"
    outputs = fields(
        descriptions=out(STRINGS),
        id=out(STRING),
        names=out(STRINGS),
        serverTypeIds=out(STRINGS),
        serverTypes=out(ListOf(Record(SERVER_TYPE))),
    )

    def call(self, arguments: Properties) -> Properties:
        types = [_server_type(entry) for entry in self._cloud.client.server_types.get_all()]
        return {**_columns(types), "serverTypeIds": _ids(types), "serverTypes": types}


class GetLocation(Lookup):
    """One location by id or name."""

    token = "hcloud:index/getLocation:getLocation"
    inputs = fields(id=may(INTEGER), name=may(STRING))
    outputs = LOCATION

    def call(self, arguments: Properties) -> Properties:
        return _location(_one_of(self._cloud.client.locations, arguments, "location"))


class GetLocations(Lookup):
    """All locations."""

    token = "hcloud:index/getLocations:getLocations"
    outputs = fields(
        descriptions=out(STRINGS),
        id=out(STRING),
        locationIds=out(STRINGS),
        locations=out(ListOf(Record(LOCATION))),
        names=out(STRINGS),
    )

    def call(self, arguments: Properties) -> Properties:
        locations = [_location(entry) for entry in self._cloud.client.locations.get_all()]
        return {**_columns(locations), "locationIds": _ids(locations), "locations": locations}


class GetVolumes(Lookup):
    """All volumes that fit."""

    token = "hcloud:index/getVolumes:getVolumes"
    inputs = fields(withSelector=may(STRING), withStatuses=may(STRINGS))
    outputs = fields(**inputs, id=out(STRING), volumes=out(ListOf(Record(VOLUME))))

    def call(self, arguments: Properties) -> Properties:
        volumes = self._cloud.client.volumes.get_all(
            label_selector=arguments.get("withSelector"), status=arguments.get("withStatuses")
        )
        listed = [_volume(volume) for volume in volumes]
        return {**arguments, "id": list_id(listed), "volumes": listed}


def _one_of(client: Any, arguments: Properties, what: str) -> Any:
    if arguments.get("id"):
        entry = found(lambda: client.get_by_id(arguments["id"]))
    elif arguments.get("name"):
        entry = client.get_by_name(arguments["name"])
    else:
        raise InvalidInput("name", f"give id or name to look a {what} up")
    if entry is None:
        raise StandInError(f"no {what} found for {arguments}")
    return entry


def _server_type(entry: BoundServerType) -> Properties:
    deprecation = entry.deprecation
    return {
        "architecture": entry.architecture,
        "category": entry.category or "",
        "cores": entry.cores,
        "cpuType": entry.cpu_type,
        "deprecationAnnounced": time_text(deprecation.announced) if deprecation else "",
        "description": entry.description,
        "disk": entry.disk,
        "id": entry.id,
        "includedTraffic": 0,  # the API gives it per location since 2025
        "isDeprecated": deprecation is not None,
        "locations": [_type_location(place) for place in entry.locations or []],
        "memory": int(entry.memory or 0),
        "name": entry.name,
        "storageType": entry.storage_type,
        "unavailableAfter": time_text(deprecation.unavailable_after) if deprecation else "",
    }


def _type_location(place: Any) -> Properties:
    deprecation = place.deprecation
    return {
        "available": bool(getattr(place, "available", True)),
        "deprecationAnnounced": time_text(deprecation.announced) if deprecation else "",
        "id": place.location.id,
        "isDeprecated": deprecation is not None,
        "name": place.location.name,
        "recommended": bool(getattr(place, "recommended", False)),
        "unavailableAfter": time_text(deprecation.unavailable_after) if deprecation else "",
    }


def _location(entry: BoundLocation) -> Properties:
    return {
        "city": entry.city,
        "country": entry.country,
        "description": entry.description,
        "id": entry.id,
        "latitude": entry.latitude,
        "longitude": entry.longitude,
        "name": entry.name,
        "networkZone": entry.network_zone,
    }


def _volume(volume: BoundVolume) -> Properties:
    return {
        "deleteProtection": is_protected(volume),
        "id": volume.id,
        "labels": volume.labels or {},
        "linuxDevice": volume.linux_device,
        "location": volume.location.name if volume.location else None,
        "name": volume.name,
        "serverId": volume.server.id if volume.server else None,
        "size": volume.size,
    }


def _columns(entries: list[Properties]) -> Properties:
    return {
        "descriptions": [entry["description"] for entry in entries],
        "id": list_id(entries),
        "names": [entry["name"] for entry in entries],
    }


def _ids(entries: Iterable[Properties]) -> list[str]:
    return [str(entry["id"]) for entry in entries]


def list_id(entries: Iterable[Properties]) -> str:
    """An id for a list of results: the same for the same entries."""
    return hashlib.sha1("".join(_ids(entries)).encode(), usedforsecurity=False).hexdigest()


def time_text(moment: datetime | str | None) -> str:
    """RFC 3339, empty for none."""
    if isinstance(moment, datetime):
        return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
    return moment or ""
