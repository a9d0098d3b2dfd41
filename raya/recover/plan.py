"""What recovery will do. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raya.recover.checkpoint import Entry, Pending
from raya.recover.things import Thing


@dataclass(frozen=True, kw_only=True)
class TakenIn:
    """A thing, and the entry of the state that it becomes."""

    thing: Thing
    record: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class LeftAlone:
    """A thing that may be the cluster's and is not touched. ``reason``: a sentence that names no thing, the
    same for all that are left alone because of it.
    """

    thing: Thing
    reason: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """``gone``: what the state has and no cloud has; ``replaced``: the URNs of such entries in whose place
    something is taken in. ``changed``: what the state describes as it was. ``pending``: what a run had begun.
    ``untouched``: what somebody has to look at.
    """

    delete: Sequence[Thing] = ()
    take_in: Sequence[TakenIn] = ()
    gone: Sequence[Entry] = ()
    replaced: Collection[str] = ()
    changed: Sequence[Entry] = ()
    pending: Sequence[Pending] = ()
    untouched: Sequence[LeftAlone] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.delete or self.take_in or self.gone or self.changed or self.pending)

    @property
    def refresh(self) -> Sequence[str]:
        """URNs of what is to be read from the clouds: what is new in the state, what leaves it, and what may
        have been changed by a run that did not hear so.
        """
        urns = [str(each.record["urn"]) for each in self.take_in]
        urns += [each.urn for each in (*self.gone, *self.changed)]
        urns += [each.entry.urn for each in self.pending if each.operation == "updating" and each.entry.kind]
        return list(dict.fromkeys(urns))
