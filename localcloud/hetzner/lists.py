"""Lists: filters, label selectors, sorting and pages."""

from collections.abc import Callable
from typing import Any

from localcloud.hetzner.labels import matches
from localcloud.hetzner.refusals import invalid
from localcloud.routing import Call, Reply, whole_number
from localcloud.store import Json

DEFAULT_PER_PAGE = 25
MAX_PER_PAGE = 50


def listing(
    call: Call,
    field: str,
    things: list[Json],
    render: Callable[[Json], Json],
    filters: tuple[str, ...] = ("name",),
    sorts: tuple[str, ...] = ("id", "name", "created"),
) -> Reply:
    """The answer to a list request: `{field: [...], "meta": {"pagination": {...}}}`.

    `filters` are the query parameters that compare a field of the stored thing; each may be given several
    times.
    """
    selector = call.first("label_selector")
    if selector is not None:
        matches(selector, {})  # refuses a bad one, also when there is nothing to filter
        things = [thing for thing in things if matches(selector, thing.get("labels", {}))]
    for name in filters:
        if wanted := call.every(name):
            things = [thing for thing in things if str(thing.get(name)) in wanted]
    things = _sorted(call, things, sorts)
    chosen, meta = _page(call, things)
    return Reply(200, {field: [render(thing) for thing in chosen], "meta": meta})


def _sorted(call: Call, things: list[Json], sorts: tuple[str, ...]) -> list[Json]:
    for order in reversed(call.every("sort")):
        field, _, direction = order.partition(":")
        if field not in sorts or direction not in ("", "asc", "desc"):
            raise invalid("sort", f"'{order}' is not one of {', '.join(sorts)} with :asc or :desc")

        def key(thing: Json, field: str = field) -> tuple[Any, int]:
            # Two things of one second keep the order in which they were made.
            return (thing.get(field) or "", thing["id"]) if field != "id" else (thing["id"], 0)

        things = sorted(things, key=key, reverse=direction == "desc")
    return things


def _page(call: Call, things: list[Json]) -> tuple[list[Json], Json]:
    page, per_page = _number(call, "page", 1), _number(call, "per_page", DEFAULT_PER_PAGE)
    if page < 1:
        raise invalid("page", "must be at least 1")
    if not 1 <= per_page <= MAX_PER_PAGE:
        raise invalid("per_page", f"must be between 1 and {MAX_PER_PAGE}")
    last = max(1, -(-len(things) // per_page))
    pagination = {
        "page": page,
        "per_page": per_page,
        "previous_page": page - 1 if page > 1 else None,
        "next_page": page + 1 if page < last else None,
        "last_page": last,
        "total_entries": len(things),
    }
    return things[(page - 1) * per_page : page * per_page], {"pagination": pagination}


def _number(call: Call, name: str, default: int) -> int:
    value = call.first(name)
    if value is None:
        return default
    number = whole_number(value)
    if number is None:
        raise invalid(name, "must be a number")
    return number
