"""Requests, answers and route tables, apart from any web framework."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from localcloud.errors import ApiError
from localcloud.store import Json

if TYPE_CHECKING:
    from localcloud.cloud import Cloud


HIDDEN = "***"


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request: path parameters by name, the query in order, the body as parsed JSON."""

    method: str
    path: str
    params: dict[str, str] = field(default_factory=dict)
    query: tuple[tuple[str, str], ...] = ()
    body: Json = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked_for: set[str] = field(default_factory=set)
    """The query parameters whose values the endpoint looked at: those that the log of requests may show."""

    def first(self, name: str) -> str | None:
        """The first value of a query parameter."""
        return next(iter(self.every(name)), None)

    def every(self, name: str) -> list[str]:
        """All values of a query parameter."""
        self.asked_for.add(name)
        return [value for key, value in self.query if key == name]

    def carries(self, secret: str) -> bool:
        """Whether a query parameter has any value; that stays a secret."""
        return any(key == secret and value for key, value in self.query)

    def shown_query(self) -> list[tuple[str, str]]:
        """The query for the log. Only what the endpoint takes is known to be no secret."""
        return [(key, value if key in self.asked_for else HIDDEN) for key, value in self.query]


@dataclass(frozen=True)
class Reply:
    """One answer. `body` is JSON, or text when `media_type` says so; None is an empty answer."""

    status: int = 200
    body: Any = None
    media_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


def whole_number(text: str) -> int | None:
    """The number that a query's value says, if it is one of at most 15 digits."""
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None


Handler = Callable[["Cloud", Call], Reply]


@dataclass(frozen=True)
class Route:
    """One endpoint: `path` is relative to the service, with `{name}` for a parameter."""

    method: str
    path: str
    handler: Handler
    pattern: re.Pattern[str]

    @property
    def summary(self) -> str:
        """The first line of the handler's docstring."""
        return (self.handler.__doc__ or "").strip().splitlines()[0].rstrip(".")


class Routes:
    """A table of endpoints, filled by decorators: `@routes.get("/servers/{id}")`."""

    def __init__(self) -> None:
        self.entries: list[Route] = []

    def add(self, method: str, path: str) -> Callable[[Handler], Handler]:
        """Register the decorated handler."""
        literal = re.split(r"\{(\w+)\}", path)
        # A parameter stops at a slash, and at a colon when a custom verb (`{project}:getIamPolicy`) follows.
        pattern = "".join(
            f"(?P<{part}>[^/]+?)" if index % 2 else re.escape(part) for index, part in enumerate(literal)
        )

        def register(handler: Handler) -> Handler:
            self.entries.append(Route(method, path, handler, re.compile(pattern)))
            return handler

        return register

    def get(self, path: str) -> Callable[[Handler], Handler]:
        """A GET endpoint."""
        return self.add("GET", path)

    def post(self, path: str) -> Callable[[Handler], Handler]:
        """A POST endpoint."""
        return self.add("POST", path)

    def put(self, path: str) -> Callable[[Handler], Handler]:
        """A PUT endpoint."""
        return self.add("PUT", path)

    def patch(self, path: str) -> Callable[[Handler], Handler]:
        """A PATCH endpoint."""
        return self.add("PATCH", path)

    def delete(self, path: str) -> Callable[[Handler], Handler]:
        """A DELETE endpoint."""
        return self.add("DELETE", path)


@dataclass(frozen=True)
class Admission:
    """The cloud as the caller sees it, and headers for the answer."""

    cloud: "Cloud"
    headers: dict[str, str] = field(default_factory=dict)


def admit_everyone(cloud: "Cloud", call: Call) -> Admission:
    """No token is asked for."""
    return Admission(cloud)


@dataclass(frozen=True, kw_only=True)
class Service:
    """One API: where it lives, how it refuses, and what it checks before every request."""

    name: str
    prefix: str
    routes: tuple[Routes, ...]
    render_error: Callable[[ApiError], Reply]
    admit: Callable[["Cloud", Call], Admission] = admit_everyone
    """Raises when the caller may not come in."""
    unavailable: str = "unavailable"
    """The API's code of a 503."""
    watched: bool = True
    """Whether its requests go into the log and faults strike them; not for what is no vendor's API."""

    def entries(self) -> list[Route]:
        """Every endpoint of the service."""
        return [route for table in self.routes for route in table.entries]

    def match(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """The endpoint for a path below the prefix, with its parameters."""
        for route in self.entries():
            if route.method == method and (found := route.pattern.fullmatch(path)):
                return route, found.groupdict()
        return None
