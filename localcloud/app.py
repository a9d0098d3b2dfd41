"""The ASGI application: finds the endpoint, runs it on the state, stores the result, answers.

A handler runs without awaiting anything, so each request sees and leaves a consistent state.
"""

import asyncio
import json
import time
import traceback
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as WebRoute
from starlette.types import Receive, Scope, Send

from localcloud.cloud import Cloud
from localcloud.errors import ApiError
from localcloud.routing import Call, Reply, Route, Service
from localcloud.services import SERVICES
from localcloud.store import Json

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class CutResponse(Response):
    """Announces the whole answer, sends half of it and closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the head and half of the body; less came than was announced, so the server closes."""
        headers = [(key, value) for key, value in self.raw_headers if key != b"content-length"]
        length = str(max(len(self.body), 1) + 1).encode()
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": [*headers, (b"content-length", length)],
            }
        )
        await send(
            {
                "type": "http.response.body",
                "body": bytes(self.body[: len(self.body) // 2]),
                "more_body": False,
            }
        )


class Front:
    """Turns HTTP requests into calls of handlers, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    async def answer(self, request: Request) -> Response:
        """The one endpoint of the web framework."""
        raw = await request.body()
        started = time.perf_counter()
        service = service_for(request.url.path)
        fault: Json | None = None
        route: Route | None = None
        limits: dict[str, str] = {}
        try:
            self._settle()
            route, call = self._call(service, request, raw)
            limits = service.admit(self.cloud, call)
            if service.watched:
                fault = self.cloud.faults.for_request(call.method, request.url.path, call.body)
            reply = await self._carry_out(route, call, fault)
        except ApiError as error:
            self._undo()
            reply = service.render_error(error)
        except Exception:
            self._undo()
            traceback.print_exc()
            reply = service.render_error(
                ApiError(500, "server_error", "the local cloud failed; its log has the traceback")
            )
        self._note(service, route, request, reply, started, fault)
        self.cloud.store.commit()
        return _response(reply, limits, cut=fault is not None and fault["kind"] == "drop")

    def _settle(self) -> None:
        self.cloud.schedule.settle(self.cloud)
        self.cloud.store.commit()

    def _undo(self) -> None:
        self.cloud.store.rollback()
        self.cloud.schedule.reload()

    def _call(self, service: Service, request: Request, raw: bytes) -> tuple[Route, Call]:
        path = request.url.path
        found = service.match(request.method, path.removeprefix(service.prefix))
        if found is None:
            raise ApiError(
                501,
                "not_implemented",
                f"{request.method} {path} is not covered by the local cloud; "
                "localcloud/COVERAGE.md lists what is.",
            )
        route, params = found
        return route, Call(
            method=request.method,
            path=path,
            params=params,
            query=tuple(request.query_params.multi_items()),
            body=_json_object(raw),
            headers={key.lower(): value for key, value in request.headers.items()},
        )

    async def _carry_out(self, route: Route, call: Call, fault: Json | None) -> Reply:
        # The fault's own count is kept even when the request is then refused.
        self.cloud.store.commit()
        if fault is not None and fault["kind"] == "hang":
            await asyncio.sleep(fault["delaySeconds"])
            self._settle()
        if fault is None or fault["kind"] == "hang" or fault["carriedOut"]:
            reply = route.handler(self.cloud, call)
        else:
            reply = Reply(200, {})
        if fault is not None and fault["kind"] == "status":
            self.cloud.store.commit()
            raise ApiError(fault["status"], fault["code"], fault["message"])
        return reply

    def _note(
        self,
        service: Service,
        route: Route | None,
        request: Request,
        reply: Reply,
        started: float,
        fault: Json | None,
    ) -> None:
        """Add to the request log. Bodies stay out: they carry user data and keys."""
        if not service.watched and route is not None:
            return
        query = [
            (k, v) for k, v in request.query_params.multi_items() if k not in ("access_token", "key", "token")
        ]
        entry: Json = {
            "seq": len(self.cloud.store.log("requests")) + 1,
            "at": self.cloud.clock.stamp_ms(),
            "method": request.method,
            "path": request.url.path,
            "query": query,
            "route": service.prefix + route.path if route else None,
            "status": reply.status,
            "code": _error_code(reply.body) if reply.status >= 400 else None,
            "milliseconds": round((time.perf_counter() - started) * 1000, 2),
        }
        if fault is not None:
            entry["fault"] = fault["kind"]
        self.cloud.store.append("requests", entry)


def service_for(path: str) -> Service:
    """The service with the longest prefix of the path."""
    return next(s for s in SERVICES if path == s.prefix or path.startswith(s.prefix + "/"))


def build_app(cloud: Cloud) -> Starlette:
    """The application over one cloud."""
    front = Front(cloud)
    return Starlette(
        routes=[WebRoute("/{path:path}", front.answer, methods=METHODS)],
        # A page in a browser must not reach this server under a name of its own (DNS rebinding).
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])],
    )


def _json_object(raw: bytes) -> Json:
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise ApiError(400, "json_error", f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise ApiError(400, "json_error", "the body is not a JSON object")
    return body


def _response(reply: Reply, limits: dict[str, str], *, cut: bool) -> Response:
    content: Any = b""
    if reply.body is not None:
        content = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
    kind = CutResponse if cut else Response
    response = kind(content, reply.status, media_type=reply.media_type if reply.body is not None else None)
    response.headers.update(limits | reply.headers)
    return response


def _error_code(body: Any) -> str | None:
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return None
    return str(error.get("status") or error.get("code"))
