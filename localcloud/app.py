"""The ASGI application: finds the endpoint, runs it on the state, stores the result, answers.

A handler runs without awaiting anything, so each request sees and leaves a consistent state, and two requests
for the same name or address come one after the other.
"""

import asyncio
import contextlib
import sys
import time
import traceback

from starlette.background import BackgroundTask
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.request_body import json_object, read_body
from localcloud.responses import error_code, response_for
from localcloud.routing import HIDDEN, Admission, Call, Reply, Route, Service
from localcloud.services import SERVICES
from localcloud.store import Json, StoreNotWrittenError

HOSTS = ["127.0.0.1", "localhost"]
RESTART = "/_control/restart"


class Front:
    """Turns HTTP requests into calls of handlers, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application."""
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ClientDisconnect:
            return  # it hung up before it had said what it wanted
        except StoreNotWrittenError as error:
            response = self._not_kept(request, error)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        started = time.perf_counter()
        service = service_for(request.url.path)
        fault: Json | None = None
        route: Route | None = None
        call: Call | None = None
        admission = Admission(self.cloud)
        try:
            _refuse_foreign_page(request)
            raw = await read_body(request)
            self._settle()
            route, call = self._call(service, request, raw)
            admission = service.admit(self.cloud, call)
            if service.watched:
                fault = self.cloud.faults.for_request(call.method, request.url.path, call.body)
            reply = await self._carry_out(route, admission.cloud, call, fault)
        except (ClientDisconnect, StoreNotWrittenError):
            raise
        except ApiError as error:
            self._undo(request)
            reply = service.render_error(error)
        except Exception:
            self._undo(request)
            _complain(traceback.format_exc())
            reply = service.render_error(
                ApiError(500, "server_error", "the local cloud failed; its log has the traceback")
            )
        self._note(service, route, call, request, reply, started, fault)
        # What is answered is on the disk first: a kill after the answer loses nothing of it.
        self.cloud.base.commit()
        return await self._response(request, reply, admission.headers, fault)

    def _not_kept(self, request: Request, error: StoreNotWrittenError) -> Response:
        """The refusal of a request whose outcome the disk did not take, as its API says that it is down."""
        self._undo(request)
        _complain(str(error))
        service = service_for(request.url.path)
        reply = service.render_error(ApiError(503, service.unavailable, str(error)))
        return response_for(reply, {}, cut=False)

    async def _response(
        self, request: Request, reply: Reply, headers: dict[str, str], fault: Json | None
    ) -> Response:
        kind = fault["kind"] if fault is not None else None
        if kind == "restart":
            self.cloud.restart()
        if fault is not None and kind == "hang" and fault["carriedOut"]:
            await asyncio.sleep(fault["delaySeconds"])
        response = response_for(reply, headers, cut=kind == "drop")
        if request.url.path == RESTART and reply.status == 200:
            response.background = BackgroundTask(self._restart)
        return response

    async def _restart(self) -> None:
        # Not in a thread, so that no other request is begun between this answer and the restart.
        self.cloud.restart()

    def _settle(self) -> None:
        self.cloud.schedule.settle(self.cloud)
        self.cloud.base.commit()

    def _undo(self, request: Request) -> None:
        self.cloud.base.rollback(looked_only=request.method in ("GET", "HEAD"))
        self.cloud.schedule.reload()

    def _call(self, service: Service, request: Request, raw: bytes) -> tuple[Route, Call]:
        path = request.url.path
        # What answers GET answers HEAD too; the server leaves the body out.
        method = "GET" if request.method == "HEAD" else request.method
        found = service.match(method, path.removeprefix(service.prefix))
        if found is None:
            raise ApiError(
                501,
                "not_implemented",
                f"{request.method} {path} is not covered by the local cloud; "
                "localcloud/COVERAGE.md lists what is.",
            )
        route, params = found
        return route, Call(
            method=method,
            path=path,
            params=params,
            query=tuple(request.query_params.multi_items()),
            body=json_object(raw),
            headers={key.lower(): value for key, value in request.headers.items()},
        )

    async def _carry_out(self, route: Route, cloud: Cloud, call: Call, fault: Json | None) -> Reply:
        # The fault's own count is kept even when the request is then refused.
        self.cloud.base.commit()
        if fault is None or fault["carriedOut"]:
            reply = route.handler(cloud, call)
        elif fault["kind"] == "hang":
            await asyncio.sleep(fault["delaySeconds"])
            self._settle()
            reply = route.handler(cloud, call)
        else:
            reply = Reply(200, {})
        if fault is not None and fault["kind"] == "status":
            self.cloud.base.commit()
            raise ApiError(fault["status"], fault["code"], fault["message"])
        return reply

    def _note(
        self,
        service: Service,
        route: Route | None,
        call: Call | None,
        request: Request,
        reply: Reply,
        started: float,
        fault: Json | None,
    ) -> None:
        """Add to the request log. Bodies stay out: they carry user data and keys. So may an unknown query."""
        if not service.watched and route is not None:
            return
        query = call.shown_query() if call else [(key, HIDDEN) for key in request.query_params]
        entry: Json = {
            "at": self.cloud.clock.stamp_ms(),
            "method": request.method,
            "path": request.url.path,
            "query": query,
            "route": service.prefix + route.path if route else None,
            "status": reply.status,
            "code": error_code(reply.body) if reply.status >= 400 else None,
            "milliseconds": round((time.perf_counter() - started) * 1000, 2),
        }
        if fault is not None:
            entry["fault"] = fault["kind"]
        self.cloud.base.append("requests", entry)


def service_for(path: str) -> Service:
    """The service with the longest prefix of the path; the last one takes what has none."""
    fitting = (s for s in SERVICES if path == s.prefix or path.startswith(s.prefix + "/"))
    return next(fitting, SERVICES[-1])


def _refuse_foreign_page(request: Request) -> None:
    """A page of another site may not send requests: everybody's browser reaches this port.

    Programs send no Origin; a browser sends it with whatever could change something.
    """
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers.get('host')}":
        raise ApiError(403, "forbidden", "requests from pages of another origin are refused")


def _complain(text: str) -> None:
    """Tell the log file, if that takes it: it may lie on the disk that is full."""
    with contextlib.suppress(OSError):
        print(f"localcloud: {text}", file=sys.stderr, flush=True)


def build_app(cloud: Cloud) -> ASGIApp:
    """The application over one cloud."""
    # A page in a browser must not reach this server under a name of its own (DNS rebinding).
    return TrustedHostMiddleware(Front(cloud), allowed_hosts=HOSTS)
