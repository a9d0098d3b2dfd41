"""The comparison of the state with the clouds. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raya.errors import RayaError
from raya.recover.checkpoint import Checkpoint, Entry
from raya.recover.claims import Claims
from raya.recover.plan import LeftAlone, Plan, TakenIn
from raya.recover.things import Key, Kind, Thing

_LABELLED = frozenset({Kind.NETWORK, Kind.FIREWALL, Kind.VOLUME, Kind.SERVER, Kind.ZONE})
# What goes with its server without being asked.
_DELETED_WITH_SERVER = frozenset({Kind.SERVER_NETWORK, Kind.VOLUME_ATTACHMENT})
_ORDER = list(Kind)
# What an update changes in place and cannot do again when its answer was lost: a record's old values must be
# given exactly, and a volume only grows.
_CHANGED_ONCE: Mapping[Kind, tuple[str, ...]] = {Kind.RECORD: ("ttl", "rrdatas"), Kind.VOLUME: ("size",)}


class OtherAccountError(RayaError):
    """The clouds cannot be those that the state speaks of."""


@dataclass(frozen=True)
class Place:
    """Where the program has a resource: its name, and the URN of its component."""

    name: str
    parent: str


def compare(checkpoint: Checkpoint, things: Iterable[Thing], claims: Claims) -> Plan:
    """Raises ``OtherAccountError``."""
    by_key = {thing.key: thing for thing in sorted(things, key=lambda each: _ORDER.index(each.kind))}
    comparison = _Comparison(checkpoint, by_key, claims)
    for thing in by_key.values():
        if thing.key not in checkpoint.known:
            comparison.judge(thing)
    taken = {str(each.record["urn"]) for each in comparison.take_in}
    current = [(entry.key, entry) for entry in checkpoint.entries if entry.is_current]
    gone = [entry for key, entry in current if key and key not in by_key and not claims.is_out_of_sight(key)]
    _refuse_another_account(gone)
    return Plan(
        delete=comparison.delete,
        take_in=comparison.take_in,
        gone=[entry for entry in gone if entry.urn not in taken],
        replaced={entry.urn for entry in gone} & taken,
        changed=[entry for key, entry in current if key in by_key and _differs(by_key[key], entry)],
        pending=checkpoint.pending,
        untouched=comparison.untouched,
    )


def _differs(thing: Thing, entry: Entry) -> bool:
    names = _CHANGED_ONCE.get(thing.kind, ())
    return any(_plain(thing.inputs.get(name)) != _plain(entry.outputs.get(name)) for name in names)


def _plain(value: Any) -> Any:
    """The order of a record's values means nothing."""
    return sorted(value) if isinstance(value, list) else value


def _refuse_another_account(gone: Iterable[Entry]) -> None:
    """What is protected is deleted by no run, and a state that forgot it could not say that it ever was."""
    for entry in gone:
        if entry.raw.get("protect"):
            raise OtherAccountError(
                f"the state knows the {entry} ({entry.raw['id']}), which is protected, and the cloud has it "
                "not. Do the token and the credentials open another project than the stack's? If somebody "
                "deleted it by hand, `pulumi refresh` forgets it. Nothing was changed."
            )


@dataclass
class _Comparison:
    checkpoint: Checkpoint
    by_key: Mapping[Key, Thing]
    claims: Claims
    delete: list[Thing] = field(default_factory=list)
    take_in: list[TakenIn] = field(default_factory=list)
    untouched: list[LeftAlone] = field(default_factory=list)
    _places: dict[Key, Place] = field(default_factory=dict)
    _urns: dict[Key, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key, entry in self.checkpoint.known.items():
            if entry.is_current and key in self.by_key:
                self._places[key], self._urns[key] = Place(entry.name, entry.parent), entry.urn

    def judge(self, thing: Thing) -> None:
        """Things come in the order of their kinds: what this one hangs on was judged before."""
        if thing.kind in _LABELLED and not self._is_ours(thing):
            return
        if thing.kind is Kind.RECORD:
            self._judge_record(thing)
        elif all(need in self._urns for need in thing.needs):
            if thing.kind in (Kind.SERVER, Kind.KEY):
                self.delete.append(thing)
            elif place := self._place(thing):
                self._take_in(thing, place, needs=thing.needs)
            elif thing.kind in _LABELLED:
                self._leave(
                    thing,
                    "Is the cluster's, but the state has no component to record it in. Is this the right "
                    "backend?",
                )

    def _leave(self, thing: Thing, reason: str) -> None:
        self.untouched.append(LeftAlone(thing=thing, reason=reason))

    def _is_ours(self, thing: Thing) -> bool:
        if reason := self.claims.doubt(thing):
            self._leave(thing, reason)
            return False
        return self.claims.is_named(thing)

    def _place(self, thing: Thing) -> Place | None:
        """None: what it hangs on is ours, but it is not something that the program makes."""
        if thing.kind in (Kind.NETWORK, Kind.FIREWALL):
            return self._below("raya:cluster:Network", "network", name="network")
        if thing.kind is Kind.VOLUME:
            return self._below("raya:cluster:ControlPlane", "control-plane", name="control-plane")
        if thing.kind is Kind.ZONE:
            return self._below("raya:cluster:DnsZone", "primary", name="primary")
        if thing.kind is Kind.ACCOUNT:
            suffix = self.claims.accounts.get(thing.id)
            return Place(suffix.name, suffix.parent) if suffix else None
        beside = self._places[thing.needs[0]]
        if thing.kind is Kind.SUBNET:
            return Place("nodes", beside.parent) if self.claims.is_nodes_subnet(thing) else None
        if thing.kind is Kind.GRANT and not self.claims.is_grant(thing):
            return None
        return beside

    def _below(self, component: str, component_name: str, *, name: str) -> Place | None:
        parent = self.checkpoint.component(component, component_name)
        return Place(name, parent.urn) if parent else None

    def _judge_record(self, thing: Thing) -> None:
        """The delegation; of the machines' records only one whose creation was begun: any other one of that
        name is overwritten by the next update or goes with its zone, and may be external-dns' until then.
        """
        zones = {key: place for key, place in self._places.items() if key.kind is Kind.ZONE}
        for key, place in zones.items():
            # The parent zone is nobody's here: what the record depends on is the zone that it names.
            if self.claims.is_delegation_to(thing, self.by_key[key]):
                self._take_in(thing, Place(f"{place.name}-delegation", place.parent), needs=(key,))
        if thing.needs[0] in zones and (begun := self._begun(thing)):
            self._take_in(thing, Place(begun.name, begun.parent), needs=thing.needs)

    def _begun(self, record: Thing) -> Entry | None:
        for each in self.checkpoint.pending:
            if (each.entry.kind, each.operation) == (Kind.RECORD, "creating"):
                inputs = each.entry.raw.get("inputs") or {}
                if all(inputs.get(name) == record.inputs[name] for name in ("name", "type", "managedZone")):
                    return each.entry
        return None

    def _take_in(self, thing: Thing, place: Place, *, needs: Sequence[Key]) -> None:
        """As the engine would have recorded it."""
        urn = f"{place.parent.rpartition('::')[0]}${thing.kind}::{place.name}"
        if holder := next((key.id for key, held in self._urns.items() if held == urn), None):
            self._leave(
                thing,
                f"Has the cluster's labels, but the state knows another {thing.kind.noun} in its place "
                f"({holder}), which exists. Delete or relabel the one that is not the cluster's.",
            )
            return
        record: dict[str, Any] = {
            "urn": urn,
            "custom": True,
            "id": thing.id,
            "type": str(thing.kind),
            "inputs": dict(thing.inputs),
            "outputs": {**thing.inputs, **thing.outputs},
            "parent": place.parent,
            "dependencies": [self._urns[need] for need in needs],
            "provider": self.checkpoint.provider(thing.kind),
        }
        if thing.kind is Kind.VOLUME:
            record["protect"] = True
        if thing.kind in _DELETED_WITH_SERVER:
            record["deletedWith"] = next(self._urns[need] for need in needs if need.kind is Kind.SERVER)
        self._places[thing.key], self._urns[thing.key] = place, urn
        self.take_in.append(TakenIn(thing=thing, record=record))
