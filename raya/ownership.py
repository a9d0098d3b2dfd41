"""Which of the objects in the clouds are this stack's own. Pure, but for the reading it is given.

The names and labels of an object can be those of another stack's cluster, of a run of this one that was
killed before it could write down what it had made, or of something that was removed from the state by hand.
Only the state tells them apart: the outputs of the last update outlive what they speak of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property

from raya.inventory import Thing


class Ownership:
    """``stack``: its name, for sentences; ``read_state``: the named objects that its state holds."""

    def __init__(self, *, stack: str, read_state: Callable[[], Collection[Thing]] = tuple) -> None:
        self.stack = stack
        self._read_state = read_state

    def has(self, thing: Thing, *, cluster_name: str) -> bool:
        """Whether ``thing`` was made by this stack and is known to it.

        By its mark, whatever somebody called it since; or by its name, if it carries the cluster's labels.
        """
        labelled = thing.cluster == cluster_name
        return any(
            (each.mark and each.mark == thing.mark) or (labelled and each.name == thing.name)
            for each in self._state
            if each.kind == thing.kind
        )

    @cached_property
    def _state(self) -> Collection[Thing]:
        # Only when there is something to tell apart: the answer has every resource of the state in it.
        return self._read_state()
