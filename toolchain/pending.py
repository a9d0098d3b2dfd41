"""`pulumi stack export | python -m toolchain.pending STACK`: no update right after a destroy that was killed.

Of what the engine was deleting or changing when it died, the state still says that it is there. The engine
takes its word: the next update ends well without it, be it a record or a role. What it was creating it tries
to create again, and the program finds what has a name by itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

_CREATING = "creating"
_MOST_NAMED = 4


def begun(deployment: Mapping[str, Any]) -> list[str]:
    """ "deleting RecordSet a0" for each change that was begun and has no known end, creations left out."""
    operations = (deployment["deployment"] or {}).get("pending_operations") or []
    return [
        f"{each['type']} {_spoken(each['resource']['urn'])}"
        for each in operations
        if each["type"] != _CREATING
    ]


def sentence(stack: str, operations: list[str]) -> str:
    """For at least one."""
    named = ", ".join(operations[:_MOST_NAMED])
    rest = len(operations) - _MOST_NAMED
    return (
        f"A run of {stack} was killed while it was {named}{f' and {rest} more' if rest > 0 else ''}. The "
        "state does not say whether that was done, and an update would not look. "
        f"`make recover STACK={stack}` does, and mends it; then run this again."
    )


def _spoken(urn: str) -> str:
    """`urn:pulumi:local::raya::a:b:C$gcp:dns/recordSet:RecordSet::a0` -> `RecordSet a0`."""
    _, _, types, name = urn.split("::", 3)
    return f"{types.rpartition(':')[2]} {name}"


def main(stack: str) -> int:
    """1 when there is something."""
    operations = begun(json.load(sys.stdin))
    if operations:
        print(sentence(stack, operations), file=sys.stderr)
    return int(bool(operations))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
