"""`python -m raya.orphans --stack NAME [--delete]`: lists it, and deletes what only the CSI driver missed.

`--delete` removes the volumes that the CSI driver made and nothing uses; the state volume is the stack's own
(docs/runbooks/destroy.md), and all else somebody may still want.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import requests
from hcloud import APIException, Client

from raya import account, stack_file
from raya.errors import RayaError
from raya.orphans.leftovers import Leftover, find
from raya.orphans.wording import table

PROJECT_ROOT = Path(__file__).parents[2]
_WHO_ANSWERS = "The local one runs from `make up` to `make down`; a real one needs the internet."
# How the engine says it: Stack in pkg/cmd/pulumi.
_NO_STACK = "no stack named"


def connect(stack: str) -> tuple[Client, str]:
    """A client for the stack's Hetzner project, and the stack's cluster name."""
    config, _ = stack_file.load(PROJECT_ROOT, stack)
    return account.client(config, token=_token(stack)), config["raya:clusterName"]


def _token(stack: str) -> str:
    if token := os.environ.get("HCLOUD_TOKEN"):
        return token
    try:
        # Only the engine can decrypt what the stack file holds.
        answer = subprocess.run(
            ["pulumi", "config", "get", "hcloud:token", "--stack", stack],
            cwd=PROJECT_ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", "") or str(error)
        raise RayaError(_no_token(stack, reason.strip())) from error
    return answer.stdout.strip()


def _no_token(stack: str, reason: str) -> str:
    if _NO_STACK not in reason:
        return f"no Hetzner token: set HCLOUD_TOKEN, or hcloud:token in the stack {stack} ({reason})"
    return (
        f"there is no stack {stack} in this backend: it was never made, or it was removed, and nothing can "
        "read its token any more. Of a local one nothing is left after `make purge`. To look into the "
        "project of a real one, set HCLOUD_TOKEN and run this again."
    )


def delete(client: Client, leftovers: Iterable[Leftover]) -> list[Leftover]:
    """Deletes the deletable ones and returns them."""
    gone = [each for each in leftovers if each.deletable]
    for each in gone:
        client.volumes.get_by_id(each.id).delete()
    return gone


def main() -> None:
    parser = argparse.ArgumentParser(
        description="List what a cluster has in the Hetzner account that is billed, with its price."
    )
    parser.add_argument("--stack", required=True)
    parser.add_argument(
        "--delete", action="store_true", help="delete the CSI driver's volumes that nothing uses"
    )
    arguments = parser.parse_args()
    try:
        client, cluster_name = connect(arguments.stack)
        leftovers = find(client, cluster_name)
        print(table(leftovers, cluster_name))
        for each in delete(client, leftovers) if arguments.delete else []:
            print(f"deleted the {each.kind} {each.name} ({each.id})")
    except requests.ConnectionError:
        sys.exit(f"raya: the Hetzner API of {arguments.stack} does not answer. {_WHO_ANSWERS}")
    except (RayaError, APIException) as error:
        sys.exit(f"raya: {error}")


if __name__ == "__main__":
    main()
