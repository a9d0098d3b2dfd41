"""Which of the objects in the clouds are this stack's own. Pure, but for the reading it is given.

The names and labels of an object can be those of another stack's cluster, or of a run of this one that was
killed before it could write down what it had made. What the last update left in the outputs tells most of
them apart, for nothing; only when something is left over is the state itself read, which costs with every
resource in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property

from raya.inventory import Thing, zone_mark
from raya.last_update import LastUpdate


class Ownership:
    """``stack``: its name, for sentences; ``read_state``: the named objects that its state holds."""

    def __init__(
        self, *, stack: str, last: LastUpdate, read_state: Callable[[], Collection[Thing]] = tuple
    ) -> None:
        self.stack = stack
        self._last = last
        self._read_state = read_state

    def has(self, thing: Thing, *, cluster_name: str) -> bool:
        """Whether ``thing`` was made by this stack and is known to it."""
        labelled = thing.cluster == cluster_name
        return self._is_remembered(thing, labelled=labelled) or self._is_in_state(thing, labelled=labelled)

    def _is_remembered(self, thing: Thing, *, labelled: bool) -> bool:
        match thing.kind:
            case "server":
                return thing.mark in self._last.addresses
            case "volume":
                return thing.mark == self._last.volume_id
            case "zone":
                return thing.mark == zone_mark(self._last.managed_zone, self._last.name_servers)
            case _:
                # No machine without them; and their names are unique.
                return labelled and bool(self._last.addresses)

    def _is_in_state(self, thing: Thing, *, labelled: bool) -> bool:
        return any(
            each.kind == thing.kind and each.name == thing.name and (labelled or each.mark == thing.mark)
            for each in self._state
        )

    @cached_property
    def _state(self) -> Collection[Thing]:
        return self._read_state()
