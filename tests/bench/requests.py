"""What the clouds were asked, from the local cloud's own log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Request = Mapping[str, Any]


def by_kind(requests: Iterable[Request]) -> Counter[str]:
    """How many of each kind: the method and the last word of the route (`post_attach_to_network`)."""
    return Counter(
        f"{each['method'].lower()}_{_last_word(each['route'] or each['path'])}" for each in requests
    )


def repeated(requests: Sequence[Request]) -> int:
    """How many requests asked for what had been asked before; of a run that changes nothing."""
    asked = Counter((each["method"], each["path"], str(each["query"])) for each in requests)
    return sum(count - 1 for count in asked.values())


def _last_word(route: str) -> str:
    *_, last = [part for part in route.split("/") if part and not part.startswith("{")]
    return last.replace(".", "_")
