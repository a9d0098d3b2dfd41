"""The stack this program runs for: its configuration, its last outputs, and how errors reach its operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pulumi

from raya import rebuilds
from raya.errors import SENTENCES
from raya.node import Node

# By node name: path -> short digest.
Digests = Mapping[str, Mapping[str, str]]


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


def announce_rebuilds(previous: Digests, nodes: Mapping[str, Node]) -> None:
    """Warns in one line when this update would rebuild every agent, or agents and the control plane."""

    def announce(current: Mapping[str, Any]) -> None:
        sentence = rebuilds.announce(previous, {name: _known(digests) for name, digests in current.items()})
        if sentence:
            pulumi.log.warn(sentence)

    digests = {name: node.digests for name, node in nodes.items()}
    pulumi.Output.all(**digests).apply(announce, run_with_unknowns=True)


def _known(digests: Any) -> Mapping[str, str] | None:
    return digests if isinstance(digests, Mapping) else None


def last_digests() -> Digests:
    """The machineConfigDigests that the last update left as a stack output; empty before the first."""
    name = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    # What a StackReference asks, without leaving a resource of that kind in the stack's own state.
    result = pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", {"name": name})
    outputs = result.value.get("outputs", {}) if isinstance(result.value, Mapping) else {}
    digests: Digests = outputs.get("machineConfigDigests") or {}
    return digests
