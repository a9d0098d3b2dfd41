"""Actions: what takes time, and how one waits for it."""

from typing import Any

from localcloud.clock import stamp
from localcloud.cloud import Cloud
from localcloud.hetzner.fields import by_id, public
from localcloud.hetzner.lists import listing
from localcloud.hetzner.refusals import invalid
from localcloud.routing import Call, Reply, Routes
from localcloud.schedule import apply_effect, effect
from localcloud.store import Json

routes = Routes()

# The first id of each kind. They differ, so that an id used for the wrong kind is not found.
FIRST_ID = {
    "action": 500_000_001,
    "server": 60_000_001,
    "network": 7_000_001,
    "volume": 100_000_001,
    "firewall": 1_000_001,
    "image": 200_000_001,
    "primary_ip": 40_000_001,
    "placement_group": 800_001,
    "ssh_key": 20_000_001,
}

ACTIONS_KEPT = 5_000
"""Ten times what an update of 100 machines starts."""

Resources = list[tuple[str, Json]]


def new_id(cloud: Cloud, kind: str) -> int:
    """The next id of a kind; never given twice."""
    return cloud.store.next_number(kind, FIRST_ID[kind])


def start(
    cloud: Cloud,
    command: str,
    resources: Resources,
    effect_name: str | None = None,
    args: Json | None = None,
    *,
    after: Json | None = None,
) -> Json:
    """Start an action on things (kind, object), the main one first, and return it.

    The things are busy until it ends. Then the effect runs with `args` and `ok` (False: a fault made it
    fail). `after` is an action that comes first (a next_action waits for the one before it).
    """
    begin = after["_due"] if after else cloud.clock.now()
    names = [thing["name"] for _, thing in resources if "name" in thing]
    action: Json = {
        "id": new_id(cloud, "action"),
        "command": command,
        "status": "running",
        "progress": 0,
        "started": stamp(begin),
        "finished": None,
        "resources": [{"id": thing["id"], "type": kind} for kind, thing in resources],
        "error": None,
        "_begin": begin,
        "_due": begin + cloud.setting("actionSeconds"),
        "_effect": effect_name,
        "_args": args or {},
        "_error": cloud.faults.for_action(command, names),
    }
    for kind, thing in resources:
        thing["_busy"] = [*thing.get("_busy", []), action["id"]]
        cloud.store.put(kind, thing["id"], thing)
    cloud.store.put("action", action["id"], action)
    cloud.schedule.add(action["_due"], "action.finish", {"action": action["id"]}, project=cloud.project)
    _forget_oldest(cloud)
    return action


def _forget_oldest(cloud: Cloud) -> None:
    """Drop finished actions beyond ACTIONS_KEPT: a local cloud may run for months."""
    excess = cloud.store.count("action") - ACTIONS_KEPT
    for key in cloud.store.keys("action")[:excess] if excess > 0 else []:
        if (cloud.store.get("action", key) or {}).get("status") != "running":
            cloud.store.delete("action", key)


@effect("action.finish")
def _finish(cloud: Cloud, args: Json) -> None:
    action = by_id(cloud, "action", args["action"])
    action["status"] = "error" if action["_error"] else "success"
    action["error"] = action["_error"]
    action["progress"] = 100
    action["finished"] = stamp(action["_due"])
    cloud.store.put("action", action["id"], action)
    for resource in action["resources"]:
        thing = cloud.store.get(resource["type"], resource["id"])
        if thing is not None:
            thing["_busy"] = [number for number in thing.get("_busy", []) if number != action["id"]]
            cloud.store.put(resource["type"], resource["id"], thing)
    if action["_error"]:
        cloud.event("action.error", f"{action['command']} {action['id']}", code=action["_error"]["code"])
    if action["_effect"]:
        apply_effect(cloud, action["_effect"], action["_args"] | {"ok": not action["_error"]})


def rendered(cloud: Cloud, action: Json) -> Json:
    """The action as the API shows it, with the progress of this moment."""
    shown = public(action)
    if action["status"] == "running":
        passed = (cloud.clock.now() - action["_begin"]) / max(action["_due"] - action["_begin"], 0.001)
        shown["progress"] = max(0, min(99, int(passed * 100)))
    return shown


def action_reply(cloud: Cloud, action: Json, status: int = 201) -> Reply:
    """`{"action": ...}`."""
    return Reply(status, {"action": rendered(cloud, action)})


@routes.get("/actions")
def list_actions(cloud: Cloud, call: Call) -> Reply:
    """The actions of given ids; without ids the API refuses"""
    wanted = call.every("id")
    if not wanted:
        raise invalid("id", "is required: list the actions to return")
    # By key: clients poll this all the time, and the log of actions is long.
    found = [cloud.store.get("action", key) for key in dict.fromkeys(wanted)]
    actions = sorted((one for one in found if one is not None), key=lambda one: int(one["id"]))
    return _listing(cloud, call, actions, filters=("status",))


@routes.get("/actions/{id}")
def get_action(cloud: Cloud, call: Call) -> Reply:
    """One action"""
    return action_reply(cloud, by_id(cloud, "action", call.params["id"]), 200)


def add_action_routes(table: Routes, plural: str, kind: str) -> None:
    """The four endpoints by which a kind's actions are read."""

    @table.get(f"/{plural}/actions")
    def list_of_kind(cloud: Cloud, call: Call) -> Reply:
        """The actions on this kind of thing"""
        return _listing(cloud, call, _actions_on(cloud, kind), filters=("id", "status"))

    @table.get(f"/{plural}/actions/{{id}}")
    def get_of_kind(cloud: Cloud, call: Call) -> Reply:
        """One action on this kind of thing"""
        return get_action(cloud, call)

    @table.get(f"/{plural}/{{id}}/actions")
    def list_of_one(cloud: Cloud, call: Call) -> Reply:
        """The actions on one thing"""
        thing = by_id(cloud, kind, call.params["id"])
        return _listing(cloud, call, _actions_on(cloud, kind, thing["id"]), filters=("status",))

    @table.get(f"/{plural}/{{id}}/actions/{{action_id}}")
    def get_of_one(cloud: Cloud, call: Call) -> Reply:
        """One action on one thing"""
        by_id(cloud, kind, call.params["id"])
        return action_reply(cloud, by_id(cloud, "action", call.params["action_id"]), 200)


def _actions_on(cloud: Cloud, kind: str, key: int | None = None) -> list[Json]:
    def concerns(resource: Json) -> bool:
        return resource["type"] == kind and key in (None, resource["id"])

    return [action for action in cloud.store.all("action") if any(map(concerns, action["resources"]))]


def _listing(cloud: Cloud, call: Call, actions: list[Json], filters: tuple[str, ...]) -> Reply:
    def render(action: Json) -> Any:
        return rendered(cloud, action)

    return listing(
        call, "actions", actions, render, filters, ("id", "command", "status", "started", "finished")
    )
