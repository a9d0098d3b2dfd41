"""From a handler's reply to what goes over the wire; also half an answer, when a fault wants that."""

import json
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from localcloud.routing import Reply


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


def response_for(reply: Reply, headers: dict[str, str], *, cut: bool) -> Response:
    """The reply as an HTTP response with `headers` beside its own."""
    content: Any = b""
    if reply.body is not None:
        content = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
    kind = CutResponse if cut else Response
    response = kind(content, reply.status, media_type=reply.media_type if reply.body is not None else None)
    response.headers.update(headers | reply.headers)
    return response


def error_code(body: Any) -> str | None:
    """The code in an error's body, in either API's form."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return None
    return str(error.get("status") or error.get("code"))
