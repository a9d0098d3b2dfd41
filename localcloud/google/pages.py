"""Google's paging: a token instead of a page number."""

import base64
from typing import TypeVar

from localcloud.google.refusals import invalid
from localcloud.routing import Call, whole_number

T = TypeVar("T")


def page(
    call: Call, things: list[T], size_name: str, default: int, most: int
) -> tuple[list[T], dict[str, str]]:
    """The page a request asks for, and `{"nextPageToken": ...}` unless it is the last."""
    size_text, token = call.first(size_name) or str(default), call.first("pageToken")
    wanted = whole_number(size_text)
    if not wanted:
        raise invalid(f"parameters.{size_name}", size_text)
    size = min(wanted, most)
    try:
        begin = max(0, int(base64.urlsafe_b64decode(token))) if token else 0
    except ValueError:
        raise invalid("parameters.pageToken", token) from None
    end = begin + size
    more = (
        {"nextPageToken": base64.urlsafe_b64encode(str(end).encode()).decode()} if end < len(things) else {}
    )
    return things[begin:end], more
