"""Actions, events and requests, newest first, as the page shows them."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from localcloud.cloud import Cloud
from localcloud.hetzner.actions import rendered
from localcloud.page.wording import Cut, Status, clock_time, cut, status
from localcloud.store import Json

AT_ONCE = 8
FOLDED = 92

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class Action:
    """One action; `took_s` is None while it runs."""

    command: str
    on: str
    status: Status
    progress_percent: int
    error: str
    started: str
    took_s: int | None


@dataclass(frozen=True)
class Event:
    """What happened to one thing."""

    at: str
    verb: str
    subject: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request by its path alone: a query or a body may carry a secret, so neither is here."""

    at: str
    method: str
    path: str
    status: Status
    milliseconds: float
    remark: str
    """The API's own word for a refusal, and whether a fault on demand struck."""


def actions(projects: list[Cloud]) -> Cut[Action]:
    """The actions of all projects: those that run, then the last ones that ended."""
    found = [(project, action) for project in projects for action in project.store.all("action")]
    found.sort(key=lambda pair: (pair[1]["status"] == "running", pair[1]["id"]), reverse=True)
    return _newest([_action(*pair) for pair in found[: AT_ONCE + FOLDED]], len(found))


def running(projects: list[Cloud]) -> int:
    """How many actions run."""
    return sum(
        action["status"] == "running" for project in projects for action in project.store.all("action")
    )


def events(cloud: Cloud) -> Cut[Event]:
    """What happened to the customer's things."""
    return _newest([_event(entry) for entry in _last(cloud, "events")], logged(cloud, "events"))


def requests(cloud: Cloud) -> Cut[Request]:
    """What was asked of the APIs."""
    return _newest([_request(entry) for entry in _last(cloud, "requests")], logged(cloud, "requests"))


def refused(cloud: Cloud) -> int:
    """How many of the kept requests were answered with an error."""
    return sum(entry["status"] >= 400 for entry in cloud.base.log("requests"))


def logged(cloud: Cloud, log: str) -> int:
    """How many entries a log has had; it keeps the newest ones only."""
    entries = cloud.base.log(log)
    return int(entries[-1]["seq"]) if entries else 0


def _last(cloud: Cloud, log: str) -> list[Json]:
    return cloud.base.log(log)[: -AT_ONCE - FOLDED - 1 : -1]


def _newest(rows: list[Row], total: int) -> Cut[Row]:
    shown = cut(rows, AT_ONCE)
    return replace(shown, left_out=total - len(rows))


def _action(cloud: Cloud, action: Json) -> Action:
    shown = rendered(cloud, action)
    names = []
    for resource in action["resources"]:
        thing = cloud.store.get(resource["type"], resource["id"])
        # What was deleted has no name any more.
        names.append(thing["name"] if thing else f"{resource['type'].replace('_', ' ')} {resource['id']}")
    return Action(
        command=action["command"].replace("_", " "),
        on=", ".join(name for name in names if name),
        status=status(shown["status"]),
        progress_percent=shown["progress"],
        error=f"{action['error']['code']}: {action['error']['message']}" if action["error"] else "",
        started=clock_time(action["started"]),
        took_s=_seconds_between(action["started"], action["finished"]) if action["finished"] else None,
    )


def _seconds_between(begun: str, ended: str) -> int:
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(begun)).total_seconds())


def _event(entry: Json) -> Event:
    subject = entry["subject"].replace("->", "→").replace("<-", "←")
    return Event(clock_time(entry["at"]), entry["event"].replace(".", " ").replace("_", " "), subject)


def _request(entry: Json) -> Request:
    answer = entry["status"]
    colour = "idle" if answer < 400 else "bad"
    remarks = [entry["code"]] if entry["code"] else []
    if "fault" in entry:
        remarks.append(f"a fault on demand ({entry['fault']})")
    return Request(
        at=clock_time(entry["at"]),
        method=entry["method"],
        path=entry["path"],
        status=Status(str(answer), colour),
        milliseconds=entry["milliseconds"],
        remark=", ".join(remarks),
    )
