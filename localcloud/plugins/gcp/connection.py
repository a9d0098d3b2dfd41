"""Google's own Python client against loopback: three services, one HTTP object per thread, retries."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from googleapiclient.errors import HttpError

from ..errors import StandInError

RETRIED_STATUS = (429, 500, 502, 503)
RETRIES = 5
FIRST_RETRY_S = 0.1
PAUSE_S = 0.02
"""Between two looks at something that settles; the official provider waits 0.5 to 2 s."""
SETTLE_TIMEOUT_S = 60.0
CONSECUTIVE_READS = 3


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Roots are the custom endpoints without the path that the discovery document adds."""

    project: str | None
    access_token: str
    dns_root: str
    iam_root: str
    resource_manager_root: str
    default_labels: dict[str, str]
    attribution_label: bool
    deletion_policy: str


class Connection:
    """Everything the resources need of the APIs; safe to use from many threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._local = threading.local()
        self._built: dict[str, Any] = {}
        self._building = threading.Lock()
        self._policy_locks: dict[str, threading.Lock] = {}

    @property
    def dns(self) -> Any:
        """Cloud DNS v1."""
        return self._service("dns", self.settings.dns_root)

    @property
    def accounts(self) -> Any:
        """`projects.serviceAccounts` of IAM v1."""
        return self._service("iam", self.settings.iam_root).projects().serviceAccounts()

    @property
    def projects(self) -> Any:
        """`projects` of Resource Manager v1."""
        return self._service("cloudresourcemanager", self.settings.resource_manager_root).projects()

    def policy_lock(self, project: str) -> threading.Lock:
        """One read-modify-write of a project's policy at a time from this process."""
        with self._building:
            return self._policy_locks.setdefault(project, threading.Lock())

    def project(self, given: str | None) -> str:
        """The resource's own project or the provider's."""
        project = given or self.settings.project
        if not project:
            raise StandInError("no project: set gcp:project, or project on the resource")
        return project

    def run(self, request: Any, *, also_retry: Collection[int] = ()) -> dict[str, Any]:
        """Execute a request; temporary refusals are tried again, with growing pauses."""
        # A fixed token needs none of Google's credentials, whose import takes a tenth of a second.
        request.headers["authorization"] = f"Bearer {self.settings.access_token}"
        # A connection that idled through a long creation may be gone, and httplib2 opens no other by itself.
        request.headers["connection"] = "close"
        delay_s = FIRST_RETRY_S
        for attempt in range(RETRIES + 1):
            try:
                answer: dict[str, Any] = request.execute(http=self._http())
                return answer
            except HttpError as error:
                if error.status_code not in (*RETRIED_STATUS, *also_retry) or attempt == RETRIES:
                    raise
                time.sleep(delay_s)
                delay_s *= 2
        raise AssertionError("the last attempt returns or raises")

    def settled(self, request: Callable[[], Any], *, pending: Collection[int]) -> dict[str, Any]:
        """Read until three reads in a row succeed: what was just made is not known everywhere at once.

        `pending`: statuses that mean "not yet" for a while after the creation.
        """
        end, successes = time.monotonic() + SETTLE_TIMEOUT_S, 0
        answer: dict[str, Any] = {}
        while successes < CONSECUTIVE_READS:
            try:
                answer = self.run(request())
                successes += 1
            except HttpError as error:
                if error.status_code not in pending or time.monotonic() > end:
                    raise
                successes = 0
            time.sleep(PAUSE_S)
        return answer

    def _service(self, name: str, root: str) -> Any:
        with self._building:
            if name not in self._built:
                from googleapiclient.discovery import build  # here: it costs a quarter of a second

                self._built[name] = build(
                    name,
                    "v1",
                    http=self._http(),
                    client_options={"api_endpoint": root},
                    static_discovery=True,
                    cache_discovery=False,
                )
            return self._built[name]

    def _http(self) -> Any:
        """This thread's HTTP object: httplib2 is not made for several threads."""
        http = getattr(self._local, "http", None)
        if http is None:
            import httplib2

            # No proxy from the environment: the endpoints are on this machine's loopback interface.
            http = httplib2.Http(timeout=60, proxy_info=None)
            self._local.http = http
        return http


def found(call: Callable[[], dict[str, Any]], *, gone: Collection[int] = (404,)) -> dict[str, Any] | None:
    """The answer, None when the status says that the object is not there."""
    try:
        return call()
    except HttpError as error:
        if error.status_code in gone:
            return None
        raise


def sentence(error: Exception) -> str | None:
    """`404 NOT_FOUND (notFound): message`, with every reason Google gives."""
    if not isinstance(error, HttpError):
        return None
    try:
        body = json.loads(error.content)["error"]
    except (ValueError, KeyError, TypeError):
        return f"{error.status_code}: {error.reason}"
    reasons = [entry.get("reason") for entry in body.get("errors") or []]
    reasons += [detail.get("reason") for detail in body.get("details") or [] if isinstance(detail, dict)]
    listed = ", ".join(dict.fromkeys(reason for reason in reasons if reason))
    status = " ".join(str(part) for part in (error.status_code, body.get("status")) if part)
    return f"{status}{f' ({listed})' if listed else ''}: {body.get('message', error.reason)}"
