"""The table of faults on demand, filled through `POST /_control/faults`; `fault_kinds` has what they take.

Requests match by method, path (a regular expression, searched) and name (the "name" of the JSON body, or its
"accountId"); an action by command and name (of the server or volume). `nth` says from which match on the
fault strikes (default the first), `times` how often (default once; null for always), `seconds` how long it
stays in force (then it strikes always, unless `times` is given).
"""

import re
from typing import Any

from localcloud.clock import Clock
from localcloud.fault_kinds import REQUEST_KINDS, checked_fault
from localcloud.store import Json, Store


class FaultTable:
    """The faults, oldest first; the first that matches strikes."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def add(self, spec: Json) -> Json:
        """Put a fault into the table and return it with its defaults and its id."""
        fault = checked_fault(spec) | {"id": self._store.next_number("fault"), "seen": 0, "struck": 0}
        if fault["seconds"] is not None:
            fault["until"] = self._clock.now() + fault["seconds"]
        return self._store.put("fault", fault["id"], fault)

    def for_request(self, method: str, path: str, body: Json) -> Json | None:
        """The fault that strikes this request."""
        name = body.get("name") or body.get("accountId")
        return self._strike(
            REQUEST_KINDS,
            lambda fault: (
                fault["method"] in (None, method)
                and re.search(fault["path"], path) is not None
                and fault["name"] in (None, name)
            ),
        )

    def for_action(self, command: str, names: list[str]) -> Json | None:
        """The error {code, message} with which an action on the named things ends."""
        fault = self._strike(
            ("action",),
            lambda fault: fault["command"] == command and (fault["name"] is None or fault["name"] in names),
        )
        return {"code": fault["code"], "message": fault["message"]} if fault else None

    def release_delay_s(self, what: str) -> float:
        """How many seconds a released address or volume stays busy."""
        fault = self._strike(("release",), lambda fault: fault["what"] == what)
        return float(fault["delaySeconds"]) if fault else 0.0

    def account_misses(self) -> int:
        """How often a new service account answers 404."""
        fault = self._strike(("late_account",), lambda fault: True)
        return int(fault["misses"]) if fault else 0

    def _strike(self, kinds: tuple[str, ...], matches: Any) -> Json | None:
        for fault in self._store.all("fault"):
            if fault["kind"] not in kinds or not matches(fault):
                continue
            if "until" in fault and self._clock.now() > fault["until"]:
                continue
            fault["seen"] += 1
            strikes = fault["seen"] >= fault["nth"] and (
                fault["times"] is None or fault["struck"] < fault["times"]
            )
            fault["struck"] += strikes
            self._store.put("fault", fault["id"], fault)
            if strikes:
                return fault
        return None
