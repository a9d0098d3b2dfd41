"""PrimaryIp and Rdns: addresses that outlive a server, and the names they resolve to."""

from __future__ import annotations

from typing import Any, cast

from hcloud.locations.domain import Location as ApiLocation
from hcloud.primary_ips import BoundPrimaryIP
from hcloud.servers.domain import Server as ApiServer

from ..errors import InvalidInput, PartlyCreated, StandInError
from ..fields import BOOLEAN, INTEGER, STRING, fields, may, need, out
from ..resource import Made, Properties, Resource
from .connection import Connection, found, gone_is_fine, is_protected
from .labels import LABELS, check_labels


class PrimaryIp(Resource):
    """An address of its own. type and location replace (cloud-side rule; the schema carries no flag)."""

    token = "hcloud:index/primaryIp:PrimaryIp"
    inputs = fields(
        assigneeId=may(INTEGER, computed=True),
        assigneeType=may(STRING, computed=True),
        autoDelete=may(BOOLEAN, computed=True),
        datacenter=may(STRING, replaces=True, computed=True),
        deleteProtection=may(BOOLEAN, default=False),
        labels=LABELS,
        location=may(STRING, replaces=True, computed=True),
        name=may(STRING),
        type=need(STRING, replaces=True),
    )
    outputs = fields(ipAddress=out(STRING), ipNetwork=out(STRING))
    autonamed = "name"

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        check_labels(inputs)
        if inputs.get("datacenter") is not None:
            raise InvalidInput("datacenter", "is no longer supported by the API: set location instead")
        if (inputs.get("location") is None) == (inputs.get("assigneeId") is None):
            raise InvalidInput("location", "give exactly one of location and assigneeId")

    @classmethod
    def inputs_of_import(cls, outputs: Properties) -> Properties:
        """Its location alone: location and assigneeId exclude each other."""
        found_inputs = super().inputs_of_import(outputs)
        return {name: value for name, value in found_inputs.items() if name != "assigneeId"}

    def create(self, inputs: Properties) -> Made:
        answer = self._cloud.client.primary_ips.create(
            type=inputs["type"],
            name=inputs["name"],
            location=ApiLocation(name=inputs["location"]) if inputs.get("location") else None,
            assignee_type=inputs.get("assigneeType", "server"),
            assignee_id=inputs.get("assigneeId"),
            auto_delete=inputs.get("autoDelete", False),
            labels=inputs.get("labels"),
        )
        resource_id = str(answer.primary_ip.id)
        try:
            self._cloud.wait(answer.action)
            if inputs.get("deleteProtection"):
                self._cloud.wait(answer.primary_ip.change_protection(delete=True))
        except StandInError as error:
            raise PartlyCreated(str(error), resource_id, inputs) from error
        made = self.read(resource_id, inputs)
        if made is None:
            raise StandInError("the API no longer knows the address it just created")
        return made

    def read(self, resource_id: str, state: Properties) -> Made | None:
        address = found(lambda: self._cloud.client.primary_ips.get_by_id(int(resource_id)))
        return None if address is None else Made(resource_id, address_outputs(address))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        address = self._cloud.client.primary_ips.get_by_id(int(resource_id))
        protected = inputs.get("deleteProtection", False)
        if protected != state.get("deleteProtection", False):
            self._cloud.wait(address.change_protection(delete=protected))
        wanted = inputs.get("assigneeId")
        if wanted is not None and wanted != state.get("assigneeId"):
            if address.assignee_id:
                self._cloud.wait(address.unassign())
            self._cloud.wait(address.assign(wanted, inputs.get("assigneeType", "server")))
        address.update(
            name=inputs["name"], labels=inputs.get("labels", {}), auto_delete=inputs.get("autoDelete", False)
        )
        return address_outputs(self._cloud.client.primary_ips.get_by_id(int(resource_id)))

    def delete(self, resource_id: str, state: Properties) -> None:
        address = found(lambda: self._cloud.client.primary_ips.get_by_id(int(resource_id)))
        if address is None:
            return
        if is_protected(address):
            self._cloud.wait(address.change_protection(delete=False))
        if address.assignee_id and address.assignee_type == "server":
            self._take_from_server(address)
        gone_is_fine(lambda: self._cloud.retried(address.delete, ("locked", "conflict"), times=10))

    def _take_from_server(self, address: BoundPrimaryIP) -> None:
        """A server gives an address up only while it is off."""
        servers, server_id = self._cloud.client.servers, address.assignee_id
        server = found(lambda: servers.get_by_id(cast(int, server_id)))
        was_on = server is not None and server.status != ApiServer.STATUS_OFF
        if server is not None and was_on:
            self._cloud.wait(server.power_off())
        self._cloud.wait(address.unassign())
        if server is not None and was_on:
            self._cloud.wait(server.power_on())


class Rdns(Resource):
    """The reverse name of an address. Id `<s|p|f|l>-<id>-<ip>`; only the name changes in place."""

    token = "hcloud:index/rdns:Rdns"
    inputs = fields(
        dnsPtr=need(STRING),
        floatingIpId=may(INTEGER, replaces=True),
        ipAddress=need(STRING, replaces=True),
        loadBalancerId=may(INTEGER, replaces=True),
        primaryIpId=may(INTEGER, replaces=True),
        serverId=may(INTEGER, replaces=True),
    )

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        if sum(inputs.get(name) is not None for name in _PARENTS) != 1:
            raise InvalidInput("serverId", f"give exactly one of {', '.join(_PARENTS)}")

    def create(self, inputs: Properties) -> Made:
        name = next(name for name in _PARENTS if inputs.get(name) is not None)
        resource_id = f"{_PARENTS[name]}-{inputs[name]}-{inputs['ipAddress']}"
        self._set(resource_id, inputs["dnsPtr"])
        return Made(resource_id, dict(inputs))

    def read(self, resource_id: str, state: Properties) -> Made | None:
        letter, number, address = resource_id.split("-", 2)
        parent = found(lambda: self._parents(letter).get_by_id(int(number)))
        pointer = None if parent is None else _pointer(parent, letter, address)
        if pointer is None:
            return None
        name = next(name for name, known in _PARENTS.items() if known == letter)
        return Made(resource_id, {name: int(number), "ipAddress": address, "dnsPtr": pointer})

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        self._set(resource_id, inputs["dnsPtr"])
        return dict(inputs)

    def delete(self, resource_id: str, state: Properties) -> None:
        gone_is_fine(lambda: self._set(resource_id, None))

    def _set(self, resource_id: str, pointer: str | None) -> None:
        letter, number, address = resource_id.split("-", 2)
        parents = self._parents(letter)
        self._cloud.wait(parents.change_dns_ptr(parents.get_by_id(int(number)), address, pointer))

    def _parents(self, letter: str) -> Any:
        client = self._cloud.client
        return {
            "s": client.servers,
            "p": client.primary_ips,
            "f": client.floating_ips,
            "l": client.load_balancers,
        }[letter]


_PARENTS = {"serverId": "s", "primaryIpId": "p", "floatingIpId": "f", "loadBalancerId": "l"}


def _pointer(parent: Any, letter: str, address: str) -> str | None:
    if letter == "s":
        public = parent.public_net
        if public and public.ipv4 and public.ipv4.ip == address:
            return cast(str, public.ipv4.dns_ptr)
        pointers = (public.ipv6.dns_ptr or []) if public and public.ipv6 else []
    else:
        pointers = getattr(parent, "dns_ptr", None) or []
    return next((entry["dns_ptr"] for entry in pointers if entry["ip"] == address), None)


def address_outputs(address: BoundPrimaryIP) -> Properties:
    """One primary address as the resource and the functions give it."""
    ip = address.ip or ""
    return {
        "assigneeId": address.assignee_id or 0,
        "assigneeType": address.assignee_type,
        "autoDelete": bool(address.auto_delete),
        "datacenter": "",  # gone from the API since July 2026
        "deleteProtection": is_protected(address),
        "ipAddress": ip.partition("/")[0],
        "ipNetwork": ip if "/" in ip else "",
        "labels": address.labels or {},
        "location": address.location.name if address.location else None,
        "name": address.name,
        "type": address.type,
    }
