"""Everything the handlers work on."""

from pathlib import Path
from typing import Any

from localcloud.clock import Clock
from localcloud.faults import FaultTable
from localcloud.schedule import Schedule
from localcloud.store import Json, Store

DEFAULT_SETTINGS: Json = {
    # How long an action runs. The real ones take seconds.
    "actionSeconds": 0.03,
    # How long a guest takes to power off after the shutdown action, which only sends the ACPI signal.
    "shutdownSeconds": 0.03,
    "dnsChangeSeconds": 0.03,
    # Requests a Hetzner project may keep in its bucket; the real API refills one each second. Here actions
    # run about a hundred times faster, so the bucket refills a hundred times faster too.
    "rateLimit": 3600,
    "rateRefillPerSecond": 100.0,
    # Account limits: resource_limit_exceeded beyond them.
    "serverLimit": 200,
    "volumeLimit": 400,
    # Server types that are out of stock in a location, as "cx23@hel1": resource_unavailable.
    "soldOut": [],
}


class Cloud:
    """The state of the pretend clouds, their clock, their faults and their logs."""

    def __init__(self, state: Path | None = None) -> None:
        self.store = Store(state)
        self.clock = Clock(self.store)
        self.schedule = Schedule(self.store)
        self.faults = FaultTable(self.store, self.clock)
        self.first_seeds: list[Json] = []
        """What the server planted when it started; a reset plants it again."""

    def setting(self, name: str) -> Any:
        """The value of a setting (see DEFAULT_SETTINGS)."""
        return (self.store.get("settings", "settings") or {}).get(name, DEFAULT_SETTINGS[name])

    def event(self, name: str, subject: str, **details: Any) -> None:
        """Add a line to the ordered log of what happened to the customer's things.

        `name` is noun and verb ("volume.attach"), `subject` what it happened to ("state -> control-plane").
        """
        number = len(self.store.log("events")) + 1
        entry = {"seq": number, "at": self.clock.stamp_ms(), "event": name, "subject": subject}
        self.store.append("events", entry | {"text": f"{name} {subject}"} | details)

    def reset(self) -> None:
        """Forget every object, log, fault and setting; numbers and addresses are not given out again."""
        for kind in [kind for kind in self.store.kinds() if kind != "sequence"]:
            for key in self.store.keys(kind):
                self.store.delete(kind, key)
        for log in ("events", "requests"):
            self.store.clear_log(log)
        self.clock = Clock(self.store)
        self.schedule.reload()
        self.faults = FaultTable(self.store, self.clock)
