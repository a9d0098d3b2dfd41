"""One run of the suite: the mark on everything it makes, by which what it left can be found and removed."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

LABEL = "conformance-run"
"""The label's key; its value is the run. The Go suite uses the same one."""
PREFIX = "conf"


@dataclass(frozen=True)
class Run:
    """`id` tells this run from every other one in the same account, also from one at the same time."""

    id: str = field(default_factory=lambda: secrets.token_hex(3))
    _numbers: itertools.count[int] = field(default_factory=itertools.count, repr=False)

    @property
    def labels(self) -> dict[str, str]:
        """What everything that can have labels gets."""
        return {LABEL: self.id}

    @property
    def selector(self) -> str:
        """Finds everything of this run, and nothing else."""
        return f"{LABEL}={self.id}"

    @property
    def marks(self) -> str:
        """The same, for things that can have a description and no labels."""
        return f"{LABEL} {self.id}"

    def name(self, stem: str) -> str:
        """A name that nothing else in the account has: `conf-1a2b3c-7-<stem>`, at most 30 characters."""
        name = f"{PREFIX}-{self.id}-{next(self._numbers)}-{stem}"
        assert len(name) <= 30, f"{name} is too long for the id of a service account"
        return name


class Belongings:
    """What one test, or the whole run, has made: given back in the opposite order."""

    def __init__(self) -> None:
        self._removals: list[Callable[[], None]] = []

    def to_remove(self, removal: Callable[[], None]) -> None:
        """Remember how to remove a thing; the removal is fine with a thing that is gone."""
        self._removals.append(removal)

    def give_back(self) -> None:
        """Remove everything, also what comes after a removal that failed; then say what failed."""
        failures: list[Exception] = []
        while self._removals:
            try:
                self._removals.pop()()
            except Exception as failure:
                failures.append(failure)
        if failures:
            raise ExceptionGroup("not everything could be given back", failures)
