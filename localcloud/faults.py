"""One table of faults on demand, filled through `POST /_control/faults`.

kind          what it does                                                 its own fields
status        answers a matching request with an error                     status, code, message, carriedOut
hang          keeps a matching request waiting before it is carried out    delaySeconds
drop          cuts the connection in the middle of a matching answer       carriedOut (default true)
action        an action of this command ends in error                      command, code, message
release       a given-back private_ip or volume (`what`) stays busy        what, delaySeconds
late_account  a new service account is unknown to its first questions      misses

Requests match by method, path (a regular expression, searched) and name (the "name" of the JSON body, or its
"accountId"); an action by command and name (of the server or volume). `nth` says from which match on the
fault strikes (default the first), `times` how often (default once; null for always), `seconds` how long it
stays in force (then it strikes always, unless `times` is given).
"""

import re
from typing import Any

from localcloud.clock import Clock
from localcloud.errors import ApiError
from localcloud.store import Json, Store

FIELDS: dict[str, dict[str, Any]] = {
    "status": {"status": 500, "code": "server_error", "message": "fault on demand", "carriedOut": False},
    "hang": {"delaySeconds": 5.0},
    "drop": {"carriedOut": True},
    "action": {"command": None, "code": "action_failed", "message": "fault on demand"},
    "release": {"what": None, "delaySeconds": 3.0},
    "late_account": {"misses": 2},
}
MATCHING: dict[str, Any] = {
    "kind": None,
    "method": None,
    "path": "",
    "name": None,
    "nth": 1,
    "times": 1,
    "seconds": None,
}


class FaultTable:
    """The faults, oldest first; the first that matches strikes."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def add(self, spec: Json) -> Json:
        """Put a fault into the table and return it with its defaults and its id."""
        kind = spec.get("kind")
        if kind not in FIELDS:
            raise ApiError(400, "invalid_input", f"fault kind {kind!r} is not one of {', '.join(FIELDS)}")
        known = MATCHING | FIELDS[kind]
        if unknown := sorted(set(spec) - set(known)):
            raise ApiError(
                400,
                "invalid_input",
                f"a {kind} fault has no field {', '.join(unknown)}; it has {', '.join(known)}",
            )
        number = self._store.next_number("fault")
        fault = known | spec | {"id": number, "seen": 0, "struck": 0}
        if fault["seconds"] is not None:
            fault["until"] = self._clock.now() + fault["seconds"]
            fault["times"] = spec.get("times")
        return self._store.put("fault", number, fault)

    def for_request(self, method: str, path: str, body: Json) -> Json | None:
        """The fault that strikes this request."""
        name = body.get("name") or body.get("accountId")
        return self._strike(
            ("status", "hang", "drop"),
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
