"""`make orphans`: what a cluster leaves in the Hetzner account when its machines go, and its price a month.

    python -m raya.orphans --stack NAME [--delete]

Lists machines, the state volume, the volumes that the CSI driver made and the snapshots. `--delete` removes
the volumes that the CSI driver made and nothing uses; the state volume is the stack's own
(docs/runbooks/destroy.md).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import requests
from hcloud import APIException, Client
from hcloud.images import BoundImage
from hcloud.volumes import BoundVolume

from raya import account, stack_file
from raya.account import Price
from raya.errors import RayaError

PROJECT_ROOT = Path(__file__).parent.parent
# The CSI driver names a volume after its claim's volume, and labels it.
_CSI_NAME, _CSI_LABEL = "pvc-", ("managed-by", "csi-driver")
_WHO_ANSWERS = "The local one runs from `make up` to `make down`; a real one needs the internet."


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """One billed object. ``net`` and ``gross``: per month, in the currency of the account's price list."""

    kind: str
    id: int
    name: str
    size_gb: Decimal
    used_by: int | None
    net: Decimal
    gross: Decimal

    @property
    def deletable(self) -> bool:
        """Made by this cluster's CSI driver and attached to nothing."""
        return self.kind == "CSI volume" and self.used_by is None


def find(client: Client, cluster_name: str) -> tuple[list[Leftover], str]:
    """What the account holds of the cluster, and the price list's currency."""
    pricing = account.pricing(client)
    found = [
        *_servers(client, cluster_name),
        *_volumes(client, cluster_name, Price.of_gb(pricing, "volume")),
        *_snapshots(client, Price.of_gb(pricing, "image")),
    ]
    return found, str(pricing["currency"])


def _servers(client: Client, cluster_name: str) -> Iterator[Leftover]:
    """Machines, running or not: after a destroy there is none, unless the stack had lost sight of it."""
    for each in client.servers.get_all(label_selector=f"managed_by=raya,cluster={cluster_name}"):
        price = Price.of_server(each)
        yield Leftover(
            kind="server",
            id=int(each.id or 0),
            name=str(each.name),
            size_gb=Decimal(each.primary_disk_size or 0),
            used_by=None,
            net=price.net,
            gross=price.gross,
        )


def _volumes(client: Client, cluster_name: str, price: Price) -> Iterator[Leftover]:
    for each in client.volumes.get_all():
        # The client's types allow every field to be absent; the API always sends these.
        name, size = str(each.name), Decimal(each.size or 0)
        if kind := volume_kind(name, each.labels or {}, cluster_name):
            yield _leftover(kind, each, name, size, price, used_by=each.server.id if each.server else None)


def _snapshots(client: Client, price: Price) -> Iterator[Leftover]:
    for each in client.images.get_all(type=["snapshot"], label_selector="managed_by=raya"):
        size = Decimal(str(each.image_size or 0))
        yield _leftover("snapshot", each, each.description or "", size, price, used_by=None)


def volume_kind(name: str, labels: Mapping[str, str], cluster_name: str) -> str | None:
    """``state volume`` or ``CSI volume`` of this cluster, ``unlabelled CSI`` of any, or None: not ours.

    The cluster's driver is told to label what it makes with the cluster (manifests/hcloud-csi.yaml.j2).
    """
    of_ours = labels.get("cluster") == cluster_name
    if labels.get("managed_by") == "raya":
        return "state volume" if of_ours else None
    key, value = _CSI_LABEL
    if not (name.startswith(_CSI_NAME) or labels.get(key) == value):
        return None
    if "cluster" not in labels:
        return "unlabelled CSI"
    return "CSI volume" if of_ours else None


def _leftover(
    kind: str,
    billed: BoundVolume | BoundImage,
    name: str,
    size_gb: Decimal,
    price: Price,
    *,
    used_by: int | None,
) -> Leftover:
    monthly = price.times(size_gb)
    return Leftover(
        kind=kind,
        id=int(billed.id or 0),
        name=name,
        size_gb=size_gb,
        used_by=used_by,
        net=monthly.net,
        gross=monthly.gross,
    )


def table(leftovers: Iterable[Leftover], currency: str) -> str:
    """One line per object and the sum; a sentence when there is none."""
    rows = list(leftovers)
    if not rows:
        return "nothing is left in the Hetzner project that costs money"
    lines = [
        f"{'kind':<14}{'id':>12}  {'name':<44}{'GB':>8}  {'attached to':<12}{'net/month':>10}{'gross':>9}"
    ]
    for row in rows:
        used_by = str(row.used_by) if row.used_by else "-"
        lines.append(
            f"{row.kind:<14}{row.id:>12}  {row.name:<44}{row.size_gb:>8.1f}  "
            f"{used_by:<12}{row.net:>10}{row.gross:>9}"
        )
    net, gross = sum(row.net for row in rows), sum(row.gross for row in rows)
    lines.append(f"{'sum in ' + currency:<94}{net:>10}{gross:>9}")
    return "\n".join(lines)


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
        raise RayaError(
            f"no Hetzner token: set HCLOUD_TOKEN, or hcloud:token in the stack {stack} ({reason.strip()})"
        ) from error
    return answer.stdout.strip()


def delete(client: Client, leftovers: Iterable[Leftover]) -> list[Leftover]:
    """Deletes the deletable ones and returns them."""
    gone = [each for each in leftovers if each.deletable]
    for each in gone:
        client.volumes.get_by_id(each.id).delete()
    return gone


def main() -> None:
    parser = argparse.ArgumentParser(
        description="List what a cluster leaves in the Hetzner account, with its cost."
    )
    parser.add_argument("--stack", required=True)
    parser.add_argument(
        "--delete", action="store_true", help="delete the CSI driver's volumes that nothing uses"
    )
    arguments = parser.parse_args()
    try:
        client, cluster_name = connect(arguments.stack)
        leftovers, currency = find(client, cluster_name)
        print(table(leftovers, currency))
        for each in delete(client, leftovers) if arguments.delete else []:
            print(f"deleted the {each.kind} {each.name} ({each.id})")
    except requests.ConnectionError:
        sys.exit(f"raya: the Hetzner API of {arguments.stack} does not answer. {_WHO_ANSWERS}")
    except (RayaError, APIException) as error:
        sys.exit(f"raya: {error}")


if __name__ == "__main__":
    main()
