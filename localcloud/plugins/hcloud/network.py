"""Network, NetworkSubnet and NetworkRoute."""

from __future__ import annotations

from hcloud.networks import BoundNetwork
from hcloud.networks import NetworkRoute as ApiRoute
from hcloud.networks import NetworkSubnet as ApiSubnet
from hcloud.networks.domain import Network as ApiNetwork

from ..errors import PartlyCreated, StandInError
from ..fields import BOOLEAN, INTEGER, STRING, fields, may, need, out
from ..resource import Made, Properties, Resource
from .connection import Connection, found, gone_is_fine, is_protected
from .labels import LABELS, check_labels

_ATTACHED = ("servers are attached", "network has attached resources")


class Network(Resource):
    """A private network; only its range replaces."""

    token = "hcloud:index/network:Network"
    inputs = fields(
        deleteProtection=may(BOOLEAN, default=False),
        exposeRoutesToVswitch=may(BOOLEAN, default=False),
        ipRange=need(STRING, replaces=True),
        labels=LABELS,
        name=may(STRING),
    )
    autonamed = "name"

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        check_labels(inputs)

    def create(self, inputs: Properties) -> Made:
        network = self._cloud.client.networks.create(
            name=inputs["name"],
            ip_range=inputs["ipRange"],
            labels=inputs.get("labels"),
            expose_routes_to_vswitch=inputs.get("exposeRoutesToVswitch", False),
        )
        if inputs.get("deleteProtection"):
            try:
                self._cloud.wait(network.change_protection(delete=True))
            except StandInError as error:
                raise PartlyCreated(str(error), str(network.id), inputs) from error
        protected = inputs.get("deleteProtection", False)
        return Made(str(network.id), {**network_outputs(network), "deleteProtection": protected})

    def read(self, resource_id: str, state: Properties) -> Made | None:
        network = found(lambda: self._cloud.client.networks.get_by_id(int(resource_id)))
        return None if network is None else Made(resource_id, network_outputs(network))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        network = self._cloud.client.networks.get_by_id(int(resource_id))
        network = network.update(
            name=inputs["name"],
            labels=inputs.get("labels", {}),
            expose_routes_to_vswitch=inputs.get("exposeRoutesToVswitch", False),
        )
        protected = inputs.get("deleteProtection", False)
        if protected != state.get("deleteProtection", False):
            self._cloud.wait(network.change_protection(delete=protected))
        return {**network_outputs(network), "deleteProtection": protected}

    def delete(self, resource_id: str, state: Properties) -> None:
        network = ApiNetwork(id=int(resource_id))
        networks = self._cloud.client.networks
        if state.get("deleteProtection"):
            gone_is_fine(lambda: self._cloud.wait(networks.change_protection(network, delete=False)))
        gone_is_fine(lambda: networks.delete(network))


class NetworkSubnet(Resource):
    """Id `<network>-<cidr>`; every input replaces."""

    token = "hcloud:index/networkSubnet:NetworkSubnet"
    inputs = fields(
        ipRange=need(STRING, replaces=True),
        networkId=need(INTEGER, replaces=True),
        networkZone=need(STRING, replaces=True),
        type=need(STRING, replaces=True),
        vswitchId=may(INTEGER, replaces=True),
    )
    outputs = fields(gateway=out(STRING))

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def create(self, inputs: Properties) -> Made:
        subnet = ApiSubnet(
            ip_range=inputs["ipRange"],
            type=inputs["type"],
            network_zone=inputs["networkZone"],
            vswitch_id=inputs.get("vswitchId"),
        )
        network = ApiNetwork(id=inputs["networkId"])
        self._cloud.wait(
            self._cloud.retried(
                lambda: self._cloud.client.networks.add_subnet(network, subnet),
                ("conflict", "vswitch_id_already_used"),
            )
        )
        resource_id = f"{inputs['networkId']}-{inputs['ipRange']}"
        made = self.read(resource_id, inputs)
        if made is None:
            raise StandInError(f"the network does not show the subnet {inputs['ipRange']} after adding it")
        return made

    def read(self, resource_id: str, state: Properties) -> Made | None:
        network_id, _, ip_range = resource_id.partition("-")
        network = found(lambda: self._cloud.client.networks.get_by_id(int(network_id)))
        for subnet in (network.subnets or []) if network is not None else []:
            if subnet.ip_range == ip_range:
                return Made(resource_id, _subnet_outputs(int(network_id), subnet))
        return None

    def delete(self, resource_id: str, state: Properties) -> None:
        network_id, _, ip_range = resource_id.partition("-")
        network, subnet = ApiNetwork(id=int(network_id)), ApiSubnet(ip_range=ip_range)
        gone_is_fine(
            lambda: self._cloud.wait(
                self._cloud.retried(
                    lambda: self._cloud.client.networks.delete_subnet(network, subnet),
                    ("conflict", "locked"),
                    times=50,
                    texts=_ATTACHED,
                )
            )
        )


class NetworkRoute(Resource):
    """Id `<network>-<destination>`; every input replaces."""

    token = "hcloud:index/networkRoute:NetworkRoute"
    inputs = fields(
        destination=need(STRING, replaces=True),
        gateway=need(STRING, replaces=True),
        networkId=need(INTEGER, replaces=True),
    )

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def create(self, inputs: Properties) -> Made:
        network = ApiNetwork(id=inputs["networkId"])
        route = ApiRoute(destination=inputs["destination"], gateway=inputs["gateway"])
        self._cloud.wait(
            self._cloud.retried(lambda: self._cloud.client.networks.add_route(network, route), ("conflict",))
        )
        return Made(f"{inputs['networkId']}-{inputs['destination']}", dict(inputs))

    def read(self, resource_id: str, state: Properties) -> Made | None:
        network_id, _, destination = resource_id.partition("-")
        network = found(lambda: self._cloud.client.networks.get_by_id(int(network_id)))
        for route in (network.routes or []) if network is not None else []:
            if route.destination == destination:
                outputs = {"networkId": int(network_id), "destination": destination, "gateway": route.gateway}
                return Made(resource_id, outputs)
        return None

    def delete(self, resource_id: str, state: Properties) -> None:
        network = ApiNetwork(id=int(resource_id.partition("-")[0]))
        route = ApiRoute(destination=state["destination"], gateway=state["gateway"])
        gone_is_fine(
            lambda: self._cloud.wait(
                self._cloud.retried(
                    lambda: self._cloud.client.networks.delete_route(network, route), ("conflict",)
                )
            )
        )


def network_outputs(network: BoundNetwork) -> Properties:
    """One network as the resource and the functions give it."""
    return {
        "deleteProtection": is_protected(network),
        "exposeRoutesToVswitch": bool(network.expose_routes_to_vswitch),
        "ipRange": network.ip_range,
        "labels": network.labels or {},
        "name": network.name,
    }


def _subnet_outputs(network_id: int, subnet: ApiSubnet) -> Properties:
    return {
        "gateway": subnet.gateway,
        "ipRange": subnet.ip_range,
        "networkId": network_id,
        "networkZone": subnet.network_zone,
        "type": subnet.type,
        "vswitchId": subnet.vswitch_id,
    }
