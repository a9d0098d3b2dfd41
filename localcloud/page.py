"""The page for people at `/`."""

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.routing import Call, Reply, Routes, Service

routes = Routes()


@routes.get("/")
def index(cloud: Cloud, call: Call) -> Reply:
    """What exists, as a page for people."""
    return Reply(
        200, "<!doctype html><title>localcloud</title><h1>localcloud</h1>", "text/html; charset=utf-8"
    )


def _render_error(error: ApiError) -> Reply:
    return Reply(error.status, {"error": {"code": error.code, "message": error.message}})


PAGE = Service(name="Page", prefix="", routes=(routes,), render_error=_render_error)
