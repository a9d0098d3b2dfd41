"""The stack this program runs for: its configuration, its last outputs, and how errors reach its operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pulumi

from raya import rebuilds
from raya.addressing import CONTROL_PLANE_NAME
from raya.errors import SENTENCES, RayaError
from raya.node import Node
from raya.placement import Placement


@dataclass(frozen=True)
class LastUpdate:
    """What the last update left. ``digests``: path -> short digest, by node name. Empty before the first."""

    digests: Mapping[str, Mapping[str, str]]
    placements: Sequence[Placement]


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


def announce_rebuilds(last: LastUpdate, nodes: Mapping[str, Node]) -> None:
    """Warns in one line when this update would rebuild every agent, or agents and the control plane."""

    def announce(current: Mapping[str, Any]) -> None:
        sentence = rebuilds.announce(
            last.digests, {name: _known(digests) for name, digests in current.items()}
        )
        if sentence:
            pulumi.log.warn(sentence)

    digests = {name: node.digests for name, node in nodes.items()}
    pulumi.Output.all(**digests).apply(announce, run_with_unknowns=True)


def _known(digests: Any) -> Mapping[str, str] | None:
    return digests if isinstance(digests, Mapping) else None


def last_update() -> LastUpdate:
    """Read from the outputs that it left in the stack."""
    name = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    # What a StackReference asks, without leaving a resource of that kind in the stack's own state.
    result = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": name})
    outputs = result.value.get("outputs", {}) if isinstance(result.value, Mapping) else {}
    machines = {CONTROL_PLANE_NAME: outputs.get("controlPlane"), **(outputs.get("agents") or {})}
    return LastUpdate(
        digests=outputs.get("machineConfigDigests") or {},
        placements=[
            Placement(node=node, server_type=machine["serverType"], location=machine["location"])
            for node, machine in machines.items()
            if machine
        ],
    )
