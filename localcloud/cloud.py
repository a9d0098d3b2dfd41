"""Everything the handlers work on."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from localcloud.clock import Clock
from localcloud.faults import FaultTable
from localcloud.projects import DEFAULT_PROJECT, ProjectStore
from localcloud.schedule import Schedule
from localcloud.settings import DEFAULTS
from localcloud.store import Json, Store


def _cannot_restart() -> None:
    raise RuntimeError("this cloud is not served by a process of its own")


class Cloud:
    """The state of the pretend clouds, their clock, their faults and their logs.

    Hetzner's things are those of one project (`project`); `of` gives the same cloud as another project sees
    it. Google's things lie in projects that each request names, and are the same for all.
    """

    def __init__(self, state: Path | None = None) -> None:
        self.base = Store(state)
        self.store: Store | ProjectStore = self.base
        self.project = DEFAULT_PROJECT
        self.clock = Clock(self.base)
        self.schedule = Schedule(self.base)
        self.faults = FaultTable(self.base, self.clock)
        self.first_seeds: list[Json] = []
        """What the server planted when it started; a reset plants it again."""
        self.restart: Callable[[], None] = _cannot_restart
        """Replaces the serving process by a new one, as after a crash; does not return."""

    def of(self, project: str) -> "Cloud":
        """The same cloud, seen from a Hetzner project."""
        if project == self.project:
            return self
        other = copy.copy(self)
        other.project = project
        other.store = self.base if project == DEFAULT_PROJECT else ProjectStore(self.base, project)
        return other

    def setting(self, name: str) -> Any:
        """The value of a setting (`localcloud.settings` has them all)."""
        return (self.base.get("settings", "settings") or {}).get(name, DEFAULTS[name])

    def later(self, delay_s: float, effect: str, args: Json) -> None:
        """Let an effect come to pass in this project after some seconds."""
        self.schedule.add(self.clock.now() + delay_s, effect, args, project=self.project)

    def event(self, name: str, subject: str, **details: Any) -> None:
        """Add a line to the ordered log of what happened to the customer's things.

        `name` is noun and verb ("volume.attach"), `subject` what it happened to ("state -> control-plane").
        """
        entry: Json = {"at": self.clock.stamp_ms(), "event": name, "subject": subject}
        if self.project != DEFAULT_PROJECT:
            details["hetznerProject"] = self.project
        self.base.append("events", entry | {"text": f"{name} {subject}"} | details)

    def reset(self) -> None:
        """Forget every object, log, fault and setting; numbers and addresses are not given out again."""
        for kind in [kind for kind in self.base.kinds() if kind != "sequence"]:
            for key in self.base.keys(kind):
                self.base.delete(kind, key)
        for log in ("events", "requests"):
            self.base.clear_log(log)
        self.schedule.reload()
