"""How the list reads. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from raya.account import total
from raya.orphans.leftovers import CLAIMED, CSI_VOLUME, Leftover

_LEGEND = (
    "unlabelled: without a cluster's label, so another cluster's driver or server may have made it. Look "
    "before you delete it."
)

_CLAIMED_LEGEND = f"{CLAIMED}: a PersistentVolume of the cluster refers to it, attached or not."
_UNASKED = (
    f"{CSI_VOLUME}: while the cluster exists, only it knows which of them a claim still refers to. Ask it: "
    "kubectl get pv --output json > pv.json, then add VOLUMES=pv.json."
)


def table(leftovers: Sequence[Leftover], cluster_name: str, *, asked: bool = False) -> str:
    """One line for each object and the sum; a sentence when there is none.

    ``asked``: the cluster said which volumes it still knows.
    """
    if not leftovers:
        return f"The cluster {cluster_name} has nothing in this Hetzner project that costs money."
    return "\n".join((*_lines(leftovers), *_legends({each.kind for each in leftovers}, asked)))


def _lines(leftovers: Sequence[Leftover]) -> Iterator[str]:
    yield _line("kind", "id", "name", "GB", "attached to", "net/month", "gross")
    for each in leftovers:
        size = "-" if each.size_gb is None else f"{each.size_gb:.1f}"
        used_by = str(each.used_by or "-")
        yield _line(
            each.kind, str(each.id), each.name, size, used_by, str(each.price.net), str(each.price.gross)
        )
    summed = total(each.price for each in leftovers)
    yield _line(f"sum in {summed.currency}", "", "", "", "", str(summed.net), str(summed.gross))


def _legends(kinds: Collection[str], asked: bool) -> Iterator[str]:
    if any(kind.startswith("unlabelled") for kind in kinds):
        yield _LEGEND
    if CLAIMED in kinds:
        yield _CLAIMED_LEGEND
    if CSI_VOLUME in kinds and not asked:
        yield _UNASKED


def _line(kind: str, id_: str, name: str, size: str, used_by: str, net: str, gross: str) -> str:
    return f"{kind:<14}{id_:>12}  {name:<44}{size:>8}  {used_by:<12}{net:>10}{gross:>9}".rstrip()
