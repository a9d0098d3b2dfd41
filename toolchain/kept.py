"""`pulumi stack export | python -m toolchain.kept`: what a destroy kept, because it is protected, and why."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

KEPT = (
    "Kept, because they are protected and cannot be made again (the engine counts the components around"
    " them as well):"
)
NEXT_STEP = (
    "`make purge` is the second step and removes them from the local cloud; for a real stack that step is"
    " written in docs/runbooks/destroy.md."
)


def protected(deployment: Mapping[str, Any]) -> list[str]:
    """ "type name" of every protected resource in an exported stack, sorted; no property is looked at."""
    resources = deployment["deployment"].get("resources") or []
    return sorted(_spoken(resource["urn"]) for resource in resources if resource.get("protect"))


def sentence(names: Iterable[str]) -> str:
    """What stays, for people."""
    kept = list(names)
    if not kept:
        return "Nothing is protected: the stack is empty."
    listed = "".join(f"\n  {name}" for name in kept)
    return f"{KEPT}{listed}\n{NEXT_STEP}"


def _spoken(urn: str) -> str:
    """`urn:pulumi:local::raya::a:b:C$hcloud:index/volume:Volume::cp` -> `hcloud:index/volume:Volume cp`."""
    _, _, types, name = urn.split("::", 3)
    return f"{types.rsplit('$', 1)[-1]} {name}"


if __name__ == "__main__":
    print(sentence(protected(json.load(sys.stdin))))
