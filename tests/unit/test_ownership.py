"""What is this stack's own: by its state, and never by a name alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from raya.inventory import Kind, Thing, Zone
from raya.ownership import Ownership

OURS = {"managed_by": "raya", "cluster": "prod"}
ZONE = Zone(name="raya-k8s", dns_name="k8s.example.org", name_servers=["ns-b2.", "ns-b1."])
STATE = (
    Thing(kind="server", name="agent-0", mark="203.0.113.2"),
    Thing(kind="volume", name="prod-state", mark="7"),
    Thing(kind="network", name="prod"),
    ZONE.thing,
)


def _has(thing: Thing, *, state: Collection[Thing] = STATE) -> bool:
    return Ownership(stack="test", read_state=lambda: state).has(thing, cluster_name="prod")


@pytest.mark.parametrize(
    "thing",
    [
        Thing(kind="server", name="renamed by hand", mark="203.0.113.2"),
        Thing(kind="server", name="agent-0", mark="another since", labels=OURS),
        Thing(kind="volume", name="prod-state", mark="7"),
        Thing(kind="network", name="prod", labels=OURS),
        ZONE.thing,
    ],
)
def test_what_the_state_holds_is_ours(thing: Thing) -> None:
    assert _has(thing)


@pytest.mark.parametrize(
    "thing",
    [
        Thing(kind="server", name="agent-0", mark="203.0.113.9"),
        Thing(kind="server", name="agent-1", mark="203.0.113.9", labels=OURS),
        Thing(kind="volume", name="agent-0", mark="203.0.113.2", labels=OURS),
        Thing(kind="network", name="prod"),
        Thing(kind="network", name="prod", labels=OURS | {"cluster": "green"}),
        Zone(name="raya-k8s", dns_name="k8s.example.org", name_servers=["ns-c1.", "ns-c2."]).thing,
        Zone(name="other", dns_name="blue.example.org", name_servers=["ns-b1.", "ns-b2."]).thing,
    ],
)
def test_what_else_has_such_a_name_or_such_labels_is_not(thing: Thing) -> None:
    assert not _has(thing)


@pytest.mark.parametrize("kind", ["server", "volume", "network", "firewall", "zone"])
def test_what_was_removed_from_the_state_is_ours_no_more(kind: Kind) -> None:
    thing = Thing(kind=kind, name="x", mark="m", labels=OURS)
    assert _has(thing, state=[replace(thing, labels={})])
    assert not _has(thing, state=[])


def test_the_state_is_read_once_and_only_when_it_is_asked_for() -> None:
    reads: list[int] = []

    def read() -> Collection[Thing]:
        reads.append(1)
        return []

    own = Ownership(stack="test", read_state=read)
    assert reads == []
    for name in ("a", "b"):
        own.has(Thing(kind="server", name=name, labels=OURS), cluster_name="prod")
    assert len(reads) == 1
