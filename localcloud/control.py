"""`/_control`: what tests ask of the local cloud. Not part of any real API."""

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.given import Given, Seconds, checked
from localcloud.projects import DEFAULT_PROJECT
from localcloud.routing import Call, Reply, Routes, Service, whole_number
from localcloud.seed import plant
from localcloud.settings import DEFAULTS, checked_settings

routes = Routes()


@routes.get("/requests")
def requests(cloud: Cloud, call: Call) -> Reply:
    """The requests, in order, without their bodies; `?after=<seq>` for the newer ones"""
    return _log(cloud, call, "requests")


@routes.get("/events")
def events(cloud: Cloud, call: Call) -> Reply:
    """What happened to the customer's things, in order; `?after=<seq>` for the newer ones"""
    return _log(cloud, call, "events")


@routes.post("/reset")
def reset(cloud: Cloud, call: Call) -> Reply:
    """Forget everything but the numbers already given out, and plant again what the server started with"""
    cloud.reset()
    for first in cloud.first_seeds:
        plant(cloud, first)
    return Reply(200, {})


@routes.post("/seed")
def seed(cloud: Cloud, call: Call) -> Reply:
    """Add what a seed names and is not there yet"""
    plant(cloud, call.body)
    return Reply(200, {})


@routes.get("/settings")
def get_settings(cloud: Cloud, call: Call) -> Reply:
    """The settings in force"""
    return Reply(200, {name: cloud.setting(name) for name in DEFAULTS})


@routes.post("/settings")
def change_settings(cloud: Cloud, call: Call) -> Reply:
    """Change some settings"""
    there = cloud.store.get("settings", "settings") or {}
    cloud.store.put("settings", "settings", there | checked_settings(call.body))
    return get_settings(cloud, call)


class Advance(Given):
    """How far the clock moves on."""

    advance_seconds: Seconds


@routes.post("/clock")
def advance_clock(cloud: Cloud, call: Call) -> Reply:
    """Advance the clock by `advanceSeconds`; whatever falls due is done"""
    cloud.clock.advance(checked(Advance, "the clock", call.body).advance_seconds)
    cloud.schedule.settle(cloud)
    return Reply(200, {"now": cloud.clock.stamp_ms()})


@routes.post("/restart")
def restart(cloud: Cloud, call: Call) -> Reply:
    """Restart the server as after a crash: nothing but the state file survives"""
    return Reply(200, {}, headers={"Connection": "close"})


@routes.get("/faults")
def list_faults(cloud: Cloud, call: Call) -> Reply:
    """The table of faults, with how often each was seen and struck"""
    return Reply(200, {"faults": cloud.store.all("fault")})


@routes.post("/faults")
def add_fault(cloud: Cloud, call: Call) -> Reply:
    """Add a fault; `localcloud/fault_kinds.py` describes the kinds and fields"""
    return Reply(201, cloud.faults.add(call.body))


@routes.delete("/faults")
def clear_faults(cloud: Cloud, call: Call) -> Reply:
    """Remove all faults"""
    for key in cloud.store.keys("fault"):
        cloud.store.delete("fault", key)
    return Reply(200, {})


@routes.get("/user-data/{server}")
def user_data(cloud: Cloud, call: Call) -> Reply:
    """The user data of a server by name, as its metadata service would give it; `?project=<name>`"""
    theirs = cloud.of(call.first("project") or DEFAULT_PROJECT).store
    for server in theirs.all("server"):
        if server["name"] == call.params["server"]:
            text = (theirs.get("user_data", server["id"]) or {}).get("text", "")
            return Reply(200, text, "text/plain; charset=utf-8")
    raise ApiError(404, "not_found", f"no server {call.params['server']}")


def _log(cloud: Cloud, call: Call, name: str) -> Reply:
    """`dropped` says how many entries after `after` were too old to be kept."""
    after = whole_number(call.first("after") or "0")
    if after is None:
        raise ApiError(400, "invalid_input", f"after must be the seq of one of the {name}")
    entries, dropped = cloud.base.journal(name).after(after)
    return Reply(200, {name: entries, "dropped": dropped})


def _render_error(error: ApiError) -> Reply:
    return Reply(error.status, {"error": {"code": error.code, "message": error.message}})


CONTROL = Service(
    name="Control", prefix="/_control", routes=(routes,), render_error=_render_error, watched=False
)
