"""`/_control`: what tests ask of the local cloud. Not part of any real API."""

from localcloud.cloud import DEFAULT_SETTINGS, Cloud
from localcloud.errors import ApiError
from localcloud.routing import Call, Reply, Routes, Service
from localcloud.seed import plant

routes = Routes()


@routes.get("/requests")
def requests(cloud: Cloud, call: Call) -> Reply:
    """The requests so far, in order, without their bodies; `?after=<seq>` for the newer ones"""
    return Reply(200, {"requests": _after(cloud, call, "requests")})


@routes.get("/events")
def events(cloud: Cloud, call: Call) -> Reply:
    """What happened to the customer's things, in order; `?after=<seq>` for the newer ones"""
    return Reply(200, {"events": _after(cloud, call, "events")})


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
    return Reply(200, {name: cloud.setting(name) for name in DEFAULT_SETTINGS})


@routes.post("/settings")
def change_settings(cloud: Cloud, call: Call) -> Reply:
    """Change some settings"""
    if unknown := sorted(set(call.body) - set(DEFAULT_SETTINGS)):
        raise ApiError(
            400, "invalid_input", f"no setting {', '.join(unknown)}; there are {', '.join(DEFAULT_SETTINGS)}"
        )
    cloud.store.put("settings", "settings", (cloud.store.get("settings", "settings") or {}) | call.body)
    return get_settings(cloud, call)


@routes.post("/clock")
def advance_clock(cloud: Cloud, call: Call) -> Reply:
    """Advance the clock by `advanceSeconds`; whatever falls due is done"""
    cloud.clock.advance(float(call.body["advanceSeconds"]))
    cloud.schedule.settle(cloud)
    return Reply(200, {"now": cloud.clock.stamp_ms()})


@routes.get("/faults")
def list_faults(cloud: Cloud, call: Call) -> Reply:
    """The table of faults, with how often each was seen and struck"""
    return Reply(200, {"faults": cloud.store.all("fault")})


@routes.post("/faults")
def add_fault(cloud: Cloud, call: Call) -> Reply:
    """Add a fault; `localcloud/faults.py` describes the kinds and fields"""
    return Reply(201, cloud.faults.add(call.body))


@routes.delete("/faults")
def clear_faults(cloud: Cloud, call: Call) -> Reply:
    """Remove all faults"""
    for key in cloud.store.keys("fault"):
        cloud.store.delete("fault", key)
    return Reply(200, {})


@routes.get("/user-data/{server}")
def user_data(cloud: Cloud, call: Call) -> Reply:
    """The user data of a server by name, as its metadata service would give it"""
    for server in cloud.store.all("server"):
        if server["name"] == call.params["server"]:
            text = (cloud.store.get("user_data", server["id"]) or {}).get("text", "")
            return Reply(200, text, "text/plain; charset=utf-8")
    raise ApiError(404, "not_found", f"no server {call.params['server']}")


def _after(cloud: Cloud, call: Call, log: str) -> list[dict[str, object]]:
    return cloud.store.log(log)[int(call.first("after") or 0) :]


def _render_error(error: ApiError) -> Reply:
    return Reply(error.status, {"error": {"code": error.code, "message": error.message}})


CONTROL = Service(
    name="Control", prefix="/_control", routes=(routes,), render_error=_render_error, watched=False
)
