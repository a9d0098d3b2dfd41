"""The stack this program runs for: its configuration, its last outputs, and how errors reach its operator."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pulumi

from raya import lookups, rebuilds
from raya.errors import SENTENCES, RayaError
from raya.inventory import Kind, Thing, zone_mark
from raya.last_update import LastUpdate
from raya.node import Node
from raya.ownership import Ownership
from raya.placement import Placement

_READS, _PAUSE_S = 10, 0.3
_KINDS: Mapping[str, Kind] = {
    "hcloud:index/server:Server": "server",
    "hcloud:index/network:Network": "network",
    "hcloud:index/firewall:Firewall": "firewall",
    "hcloud:index/volume:Volume": "volume",
    "gcp:dns/managedZone:ManagedZone": "zone",
}


class LastUpdateError(RayaError):
    """The stack's own state cannot be read."""


class WrongShellError(RayaError):
    """The environment belongs to another stack."""


def config() -> tuple[Mapping[str, str], frozenset[str]]:
    """Every configuration value of the stack by its full key, and the keys that are stored as secrets."""
    values: Mapping[str, str] = pulumi.runtime.config.CONFIG.get()
    secrets = frozenset(key for key in values if pulumi.runtime.config.is_config_secret(key))
    return values, secrets


@contextmanager
def sentences() -> Iterator[None]:
    """Ends the program with the text of an error that is meant for the operator, without a traceback."""
    try:
        yield
    except SENTENCES as error:
        raise pulumi.RunError(str(error)) from None


def refuse_local_shell(values: Mapping[str, str], environment: Mapping[str, str]) -> None:
    """Raises WrongShellError when a real stack runs in a shell that was set up for the local one.

    There its state lies in the checkout, encrypted with a passphrase that everybody knows.
    """
    endpoint = values.get("hcloud:endpoint", "")
    if environment.get("RAYA_LOCALCLOUD") and urlsplit(endpoint).hostname != "127.0.0.1":
        raise WrongShellError(
            f"this shell is set up for the local stack, and {pulumi.get_stack()} is not one (hcloud:endpoint "
            f"is {endpoint or 'not set'}): its state and secrets would lie in .raya/local under the public "
            'passphrase "local". Open a new shell, or run: eval "$(make -s env STACK=<name>)". If secrets '
            "were already set in this shell, remove them from the stack file and set them again there."
        )


def last_update() -> LastUpdate:
    """Read from the outputs that it left in the stack."""
    # What a StackReference asks, without leaving a resource of that kind in the stack's own state.
    return LastUpdate.of(_read("readStackOutputs", "name"))


def ownership(last: LastUpdate) -> Ownership:
    """What of the clouds is this stack's, by its state."""
    # After an update there is always something to tell apart: so the engine reads while its plugins start.
    read = lookups.meanwhile(_named_in_state) if last.placements else _named_in_state
    return Ownership(stack=pulumi.get_stack(), read_state=read)


def _named_in_state() -> list[Thing]:
    found = [
        (each["type"], each["outputs"]) for each in _read("readStackResourceOutputs", "stackName").values()
    ]
    referred: dict[Kind, str] = {}
    for type_, outputs in found:
        referred |= _referred_to(type_, outputs)
    return [_thing(_KINDS[type_], outputs, referred) for type_, outputs in found if type_ in _KINDS]


def _referred_to(type_: str, outputs: Mapping[str, Any]) -> dict[Kind, str]:
    """The ids of the network and the firewall, which their own outputs do not have."""
    if type_ == "hcloud:index/networkSubnet:NetworkSubnet" and outputs.get("networkId"):
        return {"network": str(int(outputs["networkId"]))}
    if type_ == "hcloud:index/server:Server" and outputs.get("firewallIds"):
        return {"firewall": str(int(outputs["firewallIds"][0]))}
    return {}


def _thing(kind: Kind, outputs: Mapping[str, Any], referred: Mapping[Kind, str]) -> Thing:
    mark = referred.get(kind, "")
    if kind == "server":
        mark = outputs.get("ipv4Address", "")
    elif kind == "volume":
        mark = outputs.get("linuxDevice", "").rpartition("_")[2]
    elif kind == "zone":
        mark = zone_mark(outputs.get("dnsName", "").rstrip("."), outputs.get("nameServers", []))
    return Thing(kind=kind, name=outputs.get("name", ""), mark=mark)


def _read(function: str, argument: str) -> Mapping[str, Any]:
    """The ``outputs`` that a function of the engine finds in this stack's state."""
    name = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    failure: Exception | None = None
    for _ in range(_READS):
        try:
            answer = pulumi.runtime.invoke(f"pulumi:pulumi:{function}", {argument: name}).value
            outputs: Mapping[str, Any] = answer.get("outputs", {}) if isinstance(answer, Mapping) else {}
            return outputs
        except Exception as error:  # The SDK raises plain Exceptions with the engine's text.
            failure = error
            # A file backend may be caught while the engine rewrites the file at the beginning of an update.
            time.sleep(_PAUSE_S)
    raise LastUpdateError(
        f"what the last update of {pulumi.get_stack()} left in its state could not be read: {failure}"
    ) from failure


def warn(sentences: Iterable[str]) -> None:
    """Shows each as a warning of this run."""
    for sentence in sentences:
        pulumi.log.warn(sentence)


def announce_rebuilds(last: LastUpdate, nodes: Mapping[str, Node], irreplaceable: Mapping[str, str]) -> None:
    """Warns in one line when this update would rebuild every agent, or agents and the control plane.

    Stops the run, in its preview, when it would rebuild a machine that could not be made again.
    """
    previous = {
        name: {**digests, **_placed(last.placement_of(name))} for name, digests in last.digests.items()
    }
    placed = {name: _placed(node.placement) for name, node in nodes.items()}

    def announce(told: Mapping[str, Any]) -> None:
        current = {name: _known(told[name], placed[name]) for name in nodes}
        if sentence := rebuilds.refuse(previous, current, irreplaceable):
            raise pulumi.RunError(sentence)
        if sentence := rebuilds.announce(previous, current):
            pulumi.log.warn(sentence)

    # A snapshot or a subnet that is about to be another one is not known yet; then so is the machine.
    told = {name: pulumi.Output.all(node.digests, node.image, node.subnet_id) for name, node in nodes.items()}
    pulumi.Output.all(**told).apply(announce, run_with_unknowns=True)


def _placed(placement: Placement | None) -> Mapping[str, str]:
    if placement is None:
        return {}
    return {"serverType": placement.server_type, "location": placement.location}


def _known(told: Any, placed: Mapping[str, str]) -> Mapping[str, str] | None:
    if pulumi.output.contains_unknowns(told) or not isinstance(told, list):
        return None
    digests, *_ = told
    return {**digests, **placed}
