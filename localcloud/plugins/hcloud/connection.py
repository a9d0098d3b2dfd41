"""The vendor's client, one per thread, with the provider's own rules on top: polling, retries, not found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

from hcloud import APIException, Client
from hcloud.actions import BoundAction

from ..errors import StandInError

Result = TypeVar("Result")

IDS_PER_POLL = 25
POLL_CAP_S = 60.0
ACTION_TIMEOUT_S = 90 * 60.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where the API is and how often it is asked. Durations in seconds."""

    endpoint: str
    token: str
    poll_interval_s: float
    poll_constant: bool


class Connection:
    """Everything the resources need of the API; safe to use from many threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._local = threading.local()

    @property
    def client(self) -> Client:
        """This thread's client: the library's HTTP session is not made for several threads."""
        client: Client | None = getattr(self._local, "client", None)
        if client is None:
            client = Client(
                token=self._settings.token,
                api_endpoint=self._settings.endpoint,
                api_endpoint_hetzner=self._settings.endpoint,
                application_name="raya-localcloud-stand-in",
                timeout=60.0,
            )
            self._local.client = client
        return client

    def wait(self, *actions: BoundAction | None) -> None:
        """Poll until all actions are done, like the official client: `GET /actions?id=…`, 25 at a time.

        Actions that came back finished cost no request. Raises StandInError for one that failed.
        """
        started, delay_s = time.monotonic(), self._settings.poll_interval_s
        pending = _unfinished(action for action in actions if action is not None)
        while pending:
            if time.monotonic() - started > ACTION_TIMEOUT_S:
                raise StandInError(f"action {pending[0].command} did not end in {ACTION_TIMEOUT_S:.0f} s")
            time.sleep(delay_s)
            pending = _unfinished(self._polled(pending))
            if not self._settings.poll_constant:
                delay_s = min(delay_s * 2, POLL_CAP_S)

    def _polled(self, actions: list[BoundAction]) -> list[BoundAction]:
        found: list[BoundAction] = []
        for first in range(0, len(actions), IDS_PER_POLL):
            ids = [action.id for action in actions[first : first + IDS_PER_POLL]]
            params = {"id": ids, "sort": ["status", "id"], "page": 1, "per_page": 50}
            answer = self.client.request("GET", "/actions", params=params)["actions"]
            if len(answer) != len(ids):
                raise StandInError(f"asked for the actions {ids} and got {len(answer)} of them")
            found += [BoundAction(self.client.actions, data) for data in answer]
        return found

    def retried(
        self, call: Callable[[], Result], on: Collection[str], *, times: int = 5, texts: Collection[str] = ()
    ) -> Result:
        """Call again while the API answers with a code in `on`, or with `service_error` and one of `texts`.

        The provider's waits of 1, 2, 4, 8 … s are scaled down to ten polls, so that tests need no patience.
        """
        delay_s = min(1.0, 10 * self._settings.poll_interval_s)
        for attempt in range(times + 1):
            try:
                return call()
            except APIException as error:
                again = error.code in on or (
                    error.code == "service_error" and any(text in error.message for text in texts)
                )
                if not again or attempt == times:
                    raise
                time.sleep(delay_s)
                delay_s = min(delay_s * 2, 16.0)
        raise AssertionError("the last attempt returns or raises")

    def until(self, reached: Callable[[], bool], *, timeout_s: float) -> bool:
        """Poll a condition; False when it is not reached in time."""
        end = time.monotonic() + timeout_s
        while not reached():
            if time.monotonic() > end:
                return False
            time.sleep(self._settings.poll_interval_s)
        return True


def _unfinished(actions: Iterable[BoundAction]) -> list[BoundAction]:
    pending = []
    for action in actions:
        if action.status == "error":
            error = action.error or {"code": "unknown", "message": "no reason given", "details": {}}
            raise StandInError(f"action {action.command} failed: {error['code']}: {error['message']}")
        if action.status == "running":
            pending.append(action)
    return pending


def found(call: Callable[[], Result]) -> Result | None:
    """The call's result, None when the API says `not_found`."""
    try:
        return call()
    except APIException as error:
        if error.code == "not_found":
            return None
        raise


def gone_is_fine(call: Callable[[], object]) -> None:
    """Make a call whose object may be gone already."""
    found(call)


def is_protected(thing: object, against: str = "delete") -> bool:
    """Whether the API object's `protection` says so; the library's classes leave its type open."""
    protection = getattr(thing, "protection", None)
    return bool(protection and protection.get(against))


def sentence(error: Exception) -> str | None:
    """`code: message` and the fields the API complains of, for errors of the client."""
    if not isinstance(error, APIException):
        return None
    details = error.details if isinstance(error.details, dict) else {}
    fields = [
        f"{field.get('name')}: {', '.join(map(str, field.get('messages') or []))}"
        for field in details.get("fields") or []
        if isinstance(field, dict) and str(field.get("name")) not in error.message
    ]
    return f"{error.code}: {error.message}" + (f" ({'; '.join(fields)})" if fields else "")
