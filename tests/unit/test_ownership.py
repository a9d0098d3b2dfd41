"""What is this stack's own: by the last update, by the state, and never by a name alone."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from raya.inventory import Kind, Thing, Zone
from raya.last_update import LastUpdate
from raya.ownership import Ownership

LAST = LastUpdate(
    volume_id="7",
    addresses=frozenset({"203.0.113.1", "203.0.113.2"}),
    managed_zone="k8s.example.org",
    name_servers=frozenset({"ns-b1.", "ns-b2."}),
)
OURS = {"managed_by": "raya", "cluster": "prod"}
ZONE = Zone(name="raya-k8s", dns_name="k8s.example.org", name_servers=["ns-b2.", "ns-b1."])


def _unread() -> Collection[Thing]:
    raise AssertionError("the state is read only when the last update does not tell")


def _has(thing: Thing, *, last: LastUpdate = LAST, state: Collection[Thing] | None = None) -> bool:
    read = _unread if state is None else lambda: state
    return Ownership(stack="test", last=last, read_state=read).has(thing, cluster_name="prod")


@pytest.mark.parametrize(
    "thing",
    [
        Thing(kind="server", name="agent-0", mark="203.0.113.2", labels=OURS),
        Thing(kind="server", name="renamed", mark="203.0.113.1"),
        Thing(kind="volume", name="prod-state", mark="7"),
        Thing(kind="network", name="prod", labels=OURS),
        Thing(kind="firewall", name="prod", labels=OURS),
        ZONE.thing,
    ],
)
def test_what_the_last_update_left_is_ours_without_a_look_into_the_state(thing: Thing) -> None:
    assert _has(thing)


@pytest.mark.parametrize(
    "thing",
    [
        Thing(kind="server", name="agent-0", mark="203.0.113.9", labels=OURS),
        Thing(kind="volume", name="prod-state", mark="8", labels=OURS),
        Thing(kind="network", name="prod"),
        Thing(kind="firewall", name="prod", labels=OURS | {"cluster": "green"}),
        Zone(name="raya-k8s", dns_name="k8s.example.org", name_servers=["ns-c1.", "ns-c2."]).thing,
        Zone(name="other", dns_name="blue.example.org", name_servers=["ns-b1.", "ns-b2."]).thing,
    ],
)
def test_what_else_has_such_a_name_or_such_labels_is_not(thing: Thing) -> None:
    assert not _has(thing, state=[])


@pytest.mark.parametrize("kind", ["server", "volume", "network", "firewall", "zone"])
def test_before_the_first_outputs_the_state_tells(kind: Kind) -> None:
    thing = Thing(kind=kind, name="x", mark="m", labels=OURS)
    nothing = LastUpdate()
    assert not _has(thing, last=nothing, state=[])
    assert not _has(thing, last=nothing, state=[Thing(kind=kind, name="y", mark="m")])
    assert _has(thing, last=nothing, state=[Thing(kind=kind, name="x", mark="another since")])


def test_without_our_labels_the_name_in_the_state_is_not_enough() -> None:
    stranger = Thing(kind="server", name="agent-0", mark="203.0.113.9")
    assert not _has(stranger, state=[Thing(kind="server", name="agent-0", mark="203.0.113.3")])
    assert _has(stranger, state=[Thing(kind="server", name="agent-0", mark="203.0.113.9")])


def test_the_state_is_read_once() -> None:
    reads: list[int] = []

    def read() -> Collection[Thing]:
        reads.append(1)
        return []

    own = Ownership(stack="test", last=LastUpdate(), read_state=read)
    for name in ("a", "b"):
        own.has(Thing(kind="server", name=name, labels=OURS), cluster_name="prod")
    assert len(reads) == 1
