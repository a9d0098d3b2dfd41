"""`https://github.com/<user>.keys`: the public keys of the pretend users."""

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.routing import Call, Reply, Routes, Service

routes = Routes()


@routes.get("/{user}.keys")
def keys(cloud: Cloud, call: Call) -> Reply:
    """A user's public keys, one on a line."""
    user = cloud.store.get("github_user", call.params["user"].lower())
    if user is None:
        raise ApiError(404, "not_found", "Not Found")
    return Reply(200, "".join(f"{key}\n" for key in user["keys"]), "text/plain; charset=utf-8")


def _render_error(error: ApiError) -> Reply:
    return Reply(error.status, error.message, "text/plain; charset=utf-8")


GITHUB = Service(name="GitHub", prefix="/github", routes=(routes,), render_error=_render_error)
