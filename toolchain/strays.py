"""`python -m toolchain.strays PORT`: what is in the local cloud although `make down` removed the stack.

An engine that is killed while it creates something does not write down what it made; no destroy knows of it.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

# All of them go with `make down`.
KINDS = ("servers", "networks", "firewalls")
TOKEN = "t" * 64  # the local cloud takes any of the right length


def strays(port: int) -> Iterator[str]:
    """ "server agent-1", for everything of KINDS."""
    for kind in KINDS:
        # A second cluster in the local cloud has a state of its own, and is none of them.
        query = urlencode({"per_page": 50, "label_selector": f"cluster={cluster_name()}"})
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/hcloud/v1/{kind}?{query}",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            yield from (f"{kind.removesuffix('s')} {each['name']}" for each in json.load(answer)[kind])


def cluster_name() -> str:
    """The local stack's, by which its things are labelled."""
    text = (Path(__file__).parents[1] / "Pulumi.local.yaml").read_text()
    (name,) = re.findall(r"""^ *"?raya:clusterName"?: *["']?([^"'\s]+)""", text, re.MULTILINE)
    return str(name)


def main(port: int) -> int:
    """1 when there are some, which it names."""
    found = list(strays(port))
    if found:
        print(
            "These are in the local cloud, but not in the stack's state; a killed run made them:"
            + "".join(f"\n  {each}" for each in found)
            + "\ndocs/runbooks/interrupted.md says how to mend it; `make purge` removes everything.",
            file=sys.stderr,
        )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
