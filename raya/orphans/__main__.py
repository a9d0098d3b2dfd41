"""`python -m raya.orphans --stack NAME`: lists it; `--delete` removes what only the CSI driver missed.

That is the volumes that the driver made and nothing uses; the state volume is the stack's own
(docs/runbooks/destroy.md), and all else somebody may still want. A volume that is attached to nothing may be
that of a claim whose pod does not run: `--persistent-volumes FILE` says which ones the cluster still knows,
and as long as it has machines, nothing is deleted without.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import requests
from hcloud import APIException, Client

from raya import account, stack_file
from raya.errors import RayaError
from raya.orphans.claimed import volume_ids
from raya.orphans.leftovers import CSI_VOLUME, Leftover, find, still_running
from raya.orphans.wording import table

PROJECT_ROOT = Path(__file__).parents[2]
_WHO_ANSWERS = "The local one runs from `make up` to `make down`; a real one needs the internet."
_ASK_FIRST = (
    "nothing is deleted: the cluster has machines, so a volume that is attached to none of them may be that "
    "of a claim whose pod does not run. Ask it with `kubectl get pv --output json > pv.json` and add "
    "--persistent-volumes pv.json; or delete the claims, and the driver deletes their volumes."
)
_NOT_THIS_CLUSTER = (
    "nothing is deleted: {volume} is attached to a machine, and the list of PersistentVolumes does not have "
    "it. The list is another cluster's, or an old one."
)
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


def _claimed(listing: Path | None) -> frozenset[int] | None:
    if listing is None:
        return None
    try:
        return volume_ids(listing.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise RayaError(f"{listing} cannot be read: {error}") from error


def _must_know(leftovers: Sequence[Leftover], claimed: frozenset[int] | None) -> None:
    """Refuses to delete when nobody said, or somebody else, what the cluster still knows."""
    if not still_running(leftovers):
        return
    if claimed is None:
        raise RayaError(_ASK_FIRST)
    for each in leftovers:
        if each.kind == CSI_VOLUME and each.used_by is not None:
            raise RayaError(_NOT_THIS_CLUSTER.format(volume=each.name))


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
    parser.add_argument(
        "--persistent-volumes",
        type=Path,
        metavar="FILE",
        help="what `kubectl get pv --output json` printed: these volumes are not orphans",
    )
    arguments = parser.parse_args()
    try:
        claimed = _claimed(arguments.persistent_volumes)
        client, cluster_name = connect(arguments.stack)
        leftovers = find(client, cluster_name, claimed=claimed)
        print(table(leftovers, cluster_name, asked=claimed is not None))
        if arguments.delete:
            _must_know(leftovers, claimed)
        for each in delete(client, leftovers) if arguments.delete else []:
            print(f"deleted the {each.kind} {each.name} ({each.id})")
    except requests.ConnectionError:
        sys.exit(f"raya: the Hetzner API of {arguments.stack} does not answer. {_WHO_ANSWERS}")
    except (RayaError, APIException) as error:
        sys.exit(f"raya: {error}")


if __name__ == "__main__":
    main()
