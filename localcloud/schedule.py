"""What happens later: the end of an action, a guest that powers off, an address that becomes free.

Due times lie in the store. They are settled, in order, before each request is looked at: no background task
is needed, and a restart in the middle of an action loses nothing.
"""

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING

from localcloud.store import Json, Store

if TYPE_CHECKING:
    from localcloud.cloud import Cloud

Effect = Callable[["Cloud", Json], None]

_EFFECTS: dict[str, Effect] = {}


def effect(name: str) -> Callable[[Effect], Effect]:
    """Register what is to be done when an entry of this name falls due."""

    def register(function: Effect) -> Effect:
        _EFFECTS[name] = function
        return function

    return register


def apply_effect(cloud: "Cloud", name: str, args: Json) -> None:
    """Do it now."""
    _EFFECTS[name](cloud, args)


class Schedule:
    """Entries {due, effect, args}, settled in order of their due time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._heap = [(entry["due"], int(entry["id"])) for entry in store.all("scheduled")]
        heapq.heapify(self._heap)

    def add(self, due: float, name: str, args: Json, *, project: str) -> None:
        """Do `name` with `args` at `due` (seconds since 1970), in a project of Hetzner's."""
        number = self._store.next_number("scheduled")
        entry = {"id": number, "due": due, "effect": name, "args": args, "project": project}
        self._store.put("scheduled", number, entry)
        heapq.heappush(self._heap, (due, number))

    def settle(self, cloud: "Cloud") -> None:
        """Do everything that is due."""
        while self._heap and self._heap[0][0] <= cloud.clock.now():
            _, number = heapq.heappop(self._heap)
            entry = self._store.get("scheduled", number)
            if entry is not None:  # gone after a reset
                self._store.delete("scheduled", number)
                apply_effect(cloud.of(entry["project"]), entry["effect"], entry["args"])

    def reload(self) -> None:
        """Start again from the store, after a reset or a rollback."""
        self._heap = [(entry["due"], int(entry["id"])) for entry in self._store.all("scheduled")]
        heapq.heapify(self._heap)
