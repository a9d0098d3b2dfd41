"""`pulumi stack output --json | python -m toolchain.outputs`: outputs for people, one value a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

# Long, and only of use in a diff.
SUMMARISED = "machineConfigDigests"


def lines(outputs: Mapping[str, Any]) -> Iterator[str]:
    """`agents.agent-1.publicIp  203.0.113.2`; a secret stays the `[secret]` that the engine printed."""
    pairs = [pair for name in sorted(outputs) for pair in _flat(name, outputs[name])]
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        yield f"{name:<{width}}  {value}"


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if name == SUMMARISED and isinstance(value, dict):
        yield name, f"of {len(value)} machines: `pulumi stack output {name}`"
    elif isinstance(value, dict) and value:
        for key in sorted(value):
            yield from _flat(f"{name}.{key}", value[key])
    elif isinstance(value, list):
        yield name, " ".join(str(item) for item in value)
    else:
        yield name, str(value)


if __name__ == "__main__":
    print("\n".join(f"  {line}" for line in lines(json.load(sys.stdin))))
