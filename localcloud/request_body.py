"""The body of a request, read with a bound and parsed into what a handler can work with."""

import json
import re
from typing import Any, NoReturn

from starlette.requests import Request

from localcloud.errors import ApiError
from localcloud.store import Json

MAX_BYTES = 4 * 1024 * 1024
"""Far above the largest body that an endpoint takes: a thousand DNS records, or 32 KiB of user data."""
_SURROGATE = re.compile(rb"\\u[dD][89abAB]")


async def read_body(request: Request) -> bytes:
    """The whole body, or the refusal as soon as it is too long."""
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BYTES:
            raise ApiError(413, "json_error", f"the body is longer than {MAX_BYTES} bytes")
    return bytes(raw)


def json_object(raw: bytes) -> Json:
    """The body as a JSON object; an empty one counts as `{}`. The content type is not looked at."""
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw, parse_constant=_refuse_constant)
        if _SURROGATE.search(raw):
            # Half a character passes the parser, and would fail wherever text becomes bytes.
            json.dumps(body, ensure_ascii=False).encode()
    except RecursionError:
        raise ApiError(400, "json_error", "the body is nested too deeply") from None
    except ValueError as error:
        raise ApiError(400, "json_error", f"the body is not JSON: {_sentence(error)}") from None
    if not isinstance(body, dict):
        raise ApiError(400, "json_error", "the body is not a JSON object")
    return body


def _sentence(error: ValueError) -> str:
    # A decoding error's own text would repeat the body, which may carry a secret.
    return "it is not UTF-8" if isinstance(error, UnicodeError) else str(error)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def plain(value: Any) -> str:
    """A given value for a message: as JSON, and cut when it is long."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 100 else f"{text[:97]}..."
