"""The exported state of a stack: what the engine knows, and the edits that recovery makes to it. Pure.

The format is Pulumi's apitype.DeploymentV3 (`pulumi stack export`).
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from raya.recover.things import Key, Kind, key

_KINDS = frozenset(Kind)


@dataclass(frozen=True)
class Entry:
    """One resource of the state."""

    raw: Mapping[str, Any]

    @property
    def urn(self) -> str:
        return str(self.raw["urn"])

    @property
    def type(self) -> str:
        return str(self.raw["type"])

    @property
    def name(self) -> str:
        """The name in the program."""
        return self.urn.rpartition("::")[2]

    @property
    def parent(self) -> str:
        return str(self.raw.get("parent", ""))

    @property
    def outputs(self) -> Mapping[str, Any]:
        return self.raw.get("outputs") or {}

    @property
    def kind(self) -> Kind | None:
        """None when nothing of it is in a cloud."""
        return Kind(self.type) if self.type in _KINDS else None

    @property
    def key(self) -> Key | None:
        if self.kind is None:
            return None
        return key(self.kind, str(self.raw.get("id", "")), self.raw.get("inputs") or {})

    @property
    def is_current(self) -> bool:
        """False for what a replacement has deleted already, and for what one has still to delete."""
        return not self.raw.get("pendingReplacement") and not self.raw.get("delete")

    @property
    def is_deleted_already(self) -> bool:
        """Deleted by a replacement that has not made the next one yet."""
        return bool(self.raw.get("pendingReplacement"))

    def __str__(self) -> str:
        noun = self.kind.noun if self.kind else self.type
        return f"{noun} {self.name}"


@dataclass(frozen=True)
class Pending:
    """An operation that the engine had begun and not ended: ``creating``, ``updating``, ``deleting``, ..."""

    operation: str
    entry: Entry


class Checkpoint:
    """The state of one stack. Edits return a new document; the exported one stays as it is."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        # A stack that was never updated has no deployment, or one without resources.
        self._deployment: Mapping[str, Any] = document.get("deployment") or {}

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(Entry(raw) for raw in self._deployment.get("resources") or [])

    @cached_property
    def pending(self) -> tuple[Pending, ...]:
        operations = self._deployment.get("pending_operations") or []
        return tuple(Pending(str(each["type"]), Entry(each["resource"])) for each in operations)

    @cached_property
    def known(self) -> Mapping[Key, Entry]:
        """What the state says exists in a cloud."""
        there = (entry for entry in self.entries if not entry.is_deleted_already)
        return {entry.key: entry for entry in there if entry.key is not None}

    def component(self, type_: str, name: str) -> Entry | None:
        return next((each for each in self.entries if (each.type, each.name) == (type_, name)), None)

    def provider(self, kind: Kind) -> str:
        """The reference of the default provider that serves ``kind``; the newest when there are several."""
        token = f"pulumi:providers:{kind.partition(':')[0]}"
        serving = [each for each in self.entries if each.type == token]
        return f"{serving[-1].urn}::{serving[-1].raw['id']}" if serving else ""

    def edited(self, records: Iterable[Mapping[str, Any]], *, gone: Collection[str]) -> Mapping[str, Any]:
        """The document with ``records`` in it and no pending operations.

        A record takes the place of the entry of its URN that a replacement has deleted or that is ``gone``;
        one that still exists is left for the next update to delete, as after any replacement.
        """
        document: dict[str, Any] = copy.deepcopy(dict(self.document))
        deployment = document["deployment"]
        deployment.pop("pending_operations", None)
        for record in records:
            deployment["resources"] = list(_with(deployment["resources"], dict(record), gone))
        return document


def _with(
    resources: Iterable[dict[str, Any]], record: dict[str, Any], gone: Collection[str]
) -> Iterable[dict[str, Any]]:
    """``resources`` with ``record`` where its URN stood (others may refer to it from there on), or last."""
    placed, outlived = False, []
    for each in resources:
        if each["urn"] != record["urn"] or each.get("delete"):
            yield each
            continue
        if not placed:
            yield record
            placed = True
        if not each.get("pendingReplacement") and each["urn"] not in gone:
            outlived.append({**each, "delete": True})
    if not placed:
        yield record
    yield from outlived
