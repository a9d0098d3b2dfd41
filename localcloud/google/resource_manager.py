"""Resource Manager: projects and their policies."""

from localcloud.cloud import Cloud
from localcloud.google.fields import texts
from localcloud.google.pages import page
from localcloud.google.policies import replace_policy, shown
from localcloud.google.projects import project_for
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

API = "cloudresourcemanager.googleapis.com"

routes = Routes()


def _shown_project(project: Json) -> Json:
    return {key: value for key, value in project.items() if key not in ("disabledApis", "enabledApis")}


@routes.get("/projects")
def list_projects(cloud: Cloud, call: Call) -> Reply:
    """The projects"""
    chosen, more = page(
        call, [_shown_project(project) for project in cloud.store.all("project")], "pageSize", 100, 500
    )
    return Reply(200, {"projects": chosen} | more)


@routes.post("/projects/{project}:getIamPolicy")
def get_iam_policy(cloud: Cloud, call: Call) -> Reply:
    """The policy of a project, with its etag"""
    project = project_for(cloud, call.params["project"], API)
    return Reply(200, shown(cloud.store.get("policy", project["projectId"]) or {}))


@routes.post("/projects/{project}:setIamPolicy")
def set_iam_policy(cloud: Cloud, call: Call) -> Reply:
    """Replace the policy of a project; 409 when its etag is not the present one"""
    project = project_for(cloud, call.params["project"], API)
    return Reply(200, shown(replace_policy(cloud, project["projectId"], call.body.get("policy"))))


@routes.post("/projects/{project}:testIamPermissions")
def test_iam_permissions(cloud: Cloud, call: Call) -> Reply:
    """Which of the given permissions the caller has: all of them"""
    project_for(cloud, call.params["project"], API)
    return Reply(200, {"permissions": texts(call.body, "permissions")})


@routes.get("/projects/{project}")
def get_project(cloud: Cloud, call: Call) -> Reply:
    """One project"""
    return Reply(200, _shown_project(project_for(cloud, call.params["project"], API)))
