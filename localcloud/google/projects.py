"""Projects, and which APIs are enabled in them."""

from localcloud.cloud import Cloud
from localcloud.google.refusals import refusal
from localcloud.store import Json

API_NAMES = {
    "dns.googleapis.com": "Cloud DNS API",
    "iam.googleapis.com": "Identity and Access Management (IAM) API",
    "cloudresourcemanager.googleapis.com": "Cloud Resource Manager API",
    "serviceusage.googleapis.com": "Service Usage API",
}


def enabled_apis(project: Json) -> set[str]:
    """The APIs that are enabled in a project: those the local cloud has, and what was enabled later."""
    return {*API_NAMES, *project.get("enabledApis", [])} - {*project["disabledApis"]}


def set_api(cloud: Cloud, project: Json, api: str, *, enabled: bool) -> None:
    """Enable or disable an API, also one that the local cloud does not have."""
    lists = {"enabledApis": set(project.get("enabledApis", [])), "disabledApis": set(project["disabledApis"])}
    wanted, other = ("enabledApis", "disabledApis") if enabled else ("disabledApis", "enabledApis")
    lists[wanted].add(api)
    lists[other].discard(api)
    project |= {name: sorted(apis) for name, apis in lists.items()}
    cloud.store.put("project", project["projectId"], project)


def project_for(cloud: Cloud, key: str, api: str) -> Json:
    """A project by id or number, if it exists for the caller and has the API enabled."""
    for project in cloud.store.all("project"):
        if key in (project["projectId"], project["projectNumber"]):
            if api in project["disabledApis"]:
                raise _disabled(project, api)
            return project
    raise refusal(403, "forbidden", f"Permission denied on resource project {key}.")


def _disabled(project: Json, api: str) -> Exception:
    number = project["projectNumber"]
    url = f"https://console.developers.google.com/apis/api/{api}/overview?project={number}"
    message = (
        f"{API_NAMES[api]} has not been used in project {number} before or it is disabled. Enable it by "
        f"visiting {url} then retry. If you enabled this API recently, wait a few minutes for the action to "
        "propagate to our systems and retry."
    )
    details = [
        {
            "@type": "type.googleapis.com/google.rpc.Help",
            "links": [{"description": "Google developers console API activation", "url": url}],
        },
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "SERVICE_DISABLED",
            "domain": "googleapis.com",
            "metadata": {"service": api, "consumer": f"projects/{number}"},
        },
    ]
    extra = {"extendedHelp": "https://console.developers.google.com"}
    return refusal(403, "accessNotConfigured", message, domain="usageLimits", extra=extra, details=details)


def add_project(cloud: Cloud, project_id: str, disabled_apis: list[str]) -> Json:
    """A project as an owner leaves it: active, with a policy that binds the owner."""
    project: Json = {
        "projectId": project_id,
        "projectNumber": str(481_516_234_200 + cloud.store.next_number("project")),
        "name": project_id,
        "lifecycleState": "ACTIVE",
        "createTime": cloud.clock.stamp_ms(),
        "disabledApis": disabled_apis,
    }
    owner = {"role": "roles/owner", "members": ["user:owner@example.org"]}
    cloud.store.put("policy", project_id, {"version": 1, "revision": 1, "bindings": [owner]})
    return cloud.store.put("project", project_id, project)
