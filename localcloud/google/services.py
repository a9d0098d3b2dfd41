"""Service Usage: which APIs are enabled in a project, and operations that enable or disable them.

The official Google provider asks it before some of its resources, and `gcloud services enable` is it.
"""

import re
from typing import Any

from localcloud.cloud import Cloud
from localcloud.google.fields import texts
from localcloud.google.pages import page
from localcloud.google.projects import enabled_apis, project_for, set_api
from localcloud.google.refusals import invalid, refusal
from localcloud.routing import Call, Reply, Routes
from localcloud.schedule import effect
from localcloud.store import Json

API = "serviceusage.googleapis.com"
SERVICES = "/projects/{project}/services"
MOST_AT_ONCE = {"batchEnable": 20, "batchGet": 30}
_NAME = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*\.googleapis\.com")
_FILTERS = {None: ("ENABLED", "DISABLED"), "state:ENABLED": ("ENABLED",), "state:DISABLED": ("DISABLED",)}

routes = Routes()


def _shown(cloud: Cloud, project: Json, name: str) -> Json:
    parent = f"projects/{project['projectNumber']}"
    return {
        "name": f"{parent}/services/{name}",
        "parent": parent,
        "config": {"name": name},
        "state": "ENABLED" if name in enabled_apis(project) else "DISABLED",
    }


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise refusal(404, "notFound", f"Service {name} not found or permission denied.")
    return name


@routes.get(SERVICES)
def list_services(cloud: Cloud, call: Call) -> Reply:
    """The APIs of a project, by state if asked"""
    project = project_for(cloud, call.params["project"], API)
    wanted = call.first("filter")
    if wanted not in _FILTERS:
        raise invalid("filter", wanted)
    names = sorted({*enabled_apis(project), *project["disabledApis"]})
    services = [_shown(cloud, project, name) for name in names]
    chosen, more = page(
        call, [one for one in services if one["state"] in _FILTERS[wanted]], "pageSize", 50, 200
    )
    return Reply(200, ({"services": chosen} if chosen else {}) | more)


@routes.get(SERVICES + ":batchGet")
def get_services(cloud: Cloud, call: Call) -> Reply:
    """Several APIs of a project"""
    project = project_for(cloud, call.params["project"], API)
    names = [_checked(name.rsplit("/", 1)[-1]) for name in _few(call.every("names"), "batchGet")]
    return Reply(200, {"services": [_shown(cloud, project, name) for name in names]})


@routes.get(SERVICES + "/{service}")
def get_service(cloud: Cloud, call: Call) -> Reply:
    """One API of a project"""
    project = project_for(cloud, call.params["project"], API)
    return Reply(200, _shown(cloud, project, _checked(call.params["service"])))


@routes.post(SERVICES + "/{service}:enable")
def enable_service(cloud: Cloud, call: Call) -> Reply:
    """Enable an API; an operation does it"""
    return _change(cloud, call, [call.params["service"]], enabled=True)


@routes.post(SERVICES + "/{service}:disable")
def disable_service(cloud: Cloud, call: Call) -> Reply:
    """Disable an API; an operation does it"""
    return _change(cloud, call, [call.params["service"]], enabled=False)


@routes.post(SERVICES + ":batchEnable")
def enable_services(cloud: Cloud, call: Call) -> Reply:
    """Enable several APIs; an operation does it"""
    return _change(cloud, call, _few(texts(call.body, "serviceIds"), "batchEnable"), enabled=True)


@routes.get("/operations/{operation}")
def get_operation(cloud: Cloud, call: Call) -> Reply:
    """One operation, `done` later"""
    operation = cloud.store.get("operation", call.params["operation"])
    if operation is None:
        raise refusal(404, "notFound", f"Operation operations/{call.params['operation']} not found.")
    return Reply(200, operation)


def _few(names: list[str], verb: str) -> list[str]:
    if not 1 <= len(names) <= MOST_AT_ONCE[verb]:
        raise refusal(400, "badRequest", f"{verb} takes 1 to {MOST_AT_ONCE[verb]} services.")
    return names


def _change(cloud: Cloud, call: Call, names: list[str], *, enabled: bool) -> Reply:
    project = project_for(cloud, call.params["project"], API)
    args: Json = {
        "operation": f"acat.p2-{project['projectNumber']}-{cloud.store.next_number('operation')}",
        "project": project["projectId"],
        "services": [_checked(name) for name in names],
        "enabled": enabled,
    }
    operation: dict[str, Any] = {"name": f"operations/{args['operation']}", "done": False}
    cloud.store.put("operation", args["operation"], operation)
    cloud.later(cloud.setting("operationSeconds"), "services.changed", args)
    return Reply(200, operation)


@effect("services.changed")
def _changed(cloud: Cloud, args: Json) -> None:
    project = cloud.store.get("project", args["project"])
    operation = cloud.store.get("operation", args["operation"])
    assert project is not None
    assert operation is not None
    for name in args["services"]:
        set_api(cloud, project, name, enabled=args["enabled"])
        cloud.event(f"api.{'enable' if args['enabled'] else 'disable'}", name, project=args["project"])
    services = [_shown(cloud, project, name) for name in args["services"]]
    response = {"services": services} if len(services) > 1 else {"service": services[0]}
    cloud.store.put("operation", args["operation"], operation | {"done": True, "response": response})
