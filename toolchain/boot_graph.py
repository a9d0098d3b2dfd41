"""docs/boot.md's two graphs, made from the units in butane/overlay: `python -m toolchain.boot_graph --write`.

`make docs` says when the page shows another boot than the units.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from toolchain import unit_files
from toolchain.unit_files import Unit

ROOT = Path(__file__).resolve().parent.parent
PAGE = Path("docs/boot.md")
WRITE = "python -m toolchain.boot_graph --write"
LABEL_WIDTH = 30

# What each role's machine is made of, and the colour of what comes from there.
TREES = {
    "control-plane": {"common": "shared", "control-plane": "control"},
    "agent": {"common": "shared", "agent": "shared"},
}
COLOURS = {"shared": "#3f7fbf", "control": "#bf7f3f"}

# Short names for the arrows; another unit goes by its own name, without what is no letter.
IDS = {
    "systemd-tmpfiles-setup.service": "tmpfiles",
    "NetworkManager.service": "nm",
    "network-online.target": "online",
    "k3s-init.service": "init",
    "k3s-metadata-guard.service": "guard",
    "mkfs-k3s-volume.service": "mkfs",
    "var-lib-rancher-k3s.mount": "mount",
    "grow-k3s-volume.service": "grow",
    "k3s-seed-pki.service": "seed",
    "k3s-sync-manifests.service": "manifests",
    "k3s-setup.target": "setup",
    "k3s.service": "k3s",
    "k3s-agent.service": "agent",
}
# Units of the distribution that ours are ordered against; no file of ours describes them.
SYSTEM = {
    "systemd-tmpfiles-setup.service": "restores the SELinux label of {relabelled}",
    "NetworkManager.service": "enp7s0 static, public interface by DHCP",
    "network-online.target": "",
}
# NetworkManager-wait-online.service, a part of the distribution too, stands between the two.
SYSTEM_ORDER = ("NetworkManager.service", "network-online.target")
# What the program does beside the boot, at any time of it: node, label, on the arrow, the unit that waits.
FROM_OUTSIDE = (
    ("attach_nic", "Attach the private network interface", "enp7s0 appears", "NetworkManager.service"),
    ("attach_vol", "Attach the volume", "device appears", "mkfs-k3s-volume.service"),
)


@dataclass(frozen=True)
class Boot:
    """One role's units, and unit -> colour."""

    units: Mapping[str, Unit]
    colours: Mapping[str, str]
    relabelled: str

    @classmethod
    def read(cls, root: Path, role: str) -> Boot:
        trees = {root / "butane/overlay" / tree: colour for tree, colour in TREES[role].items()}
        units = unit_files.read(list(trees))
        # What only has a drop-in of ours is the distribution's.
        ours = {name: unit for name, unit in units.items() if unit.text("Description")}
        colours = dict.fromkeys(SYSTEM, "shared")
        for tree, colour in trees.items():
            for name in unit_files.read([tree]):
                # What a role's drop-in adds to a shared unit leaves it shared.
                colours.setdefault(name, colour)
        return cls(ours, colours, _relabelled(root / "butane/overlay/common/etc/tmpfiles.d/k3s.conf"))

    def nodes(self) -> list[str]:
        """The units in the order in which they start; by name where there is none."""
        order = TopologicalSorter({name: sorted(self._waits_for(name)) for name in sorted(self._names())})
        return list(order.static_order())

    def edges(self) -> list[tuple[str, str, bool]]:
        """(first, then, then starts also when the first failed) for each order that the units state."""
        names = self.nodes()
        found = [
            (first, then, self._is_soft(first, then)) for then in names for first in self._waits_for(then)
        ]
        return sorted(found, key=lambda edge: (names.index(edge[1]), names.index(edge[0])))

    def _waits_for(self, name: str) -> set[str]:
        if name in SYSTEM:
            return {SYSTEM_ORDER[0]} if name == SYSTEM_ORDER[1] else set()
        return set(self.units[name].values("After")) & self._names()

    def _is_soft(self, first: str, then: str) -> bool:
        return then in self.units and first not in self.units[then].values("Requires", "BindsTo")

    def _names(self) -> set[str]:
        return {*SYSTEM, *self.units}


def graph(root: Path, role: str) -> str:
    """The role's boot as a mermaid graph."""
    boot = Boot.read(root, role)
    nodes = boot.nodes()
    outside = [arrival for arrival in FROM_OUTSIDE if arrival[3] in nodes]
    lines = ["graph TB", '  subgraph pulumi["Pulumi · after the server is created"]']
    lines += [f'    {node}["{label}"]' for node, label, _, _ in outside]
    lines += ["  end", "", '  subgraph systemd["systemd · every boot"]']
    lines += [f"    {_node(name, boot)}" for name in nodes]
    lines += [""]
    lines += [
        f"    {_id(first)} {'-->|wanted|' if soft else '-->'} {_id(then)}"
        for first, then, soft in boot.edges()
    ]
    lines += ["  end", ""]
    lines += [f"  {node} -.->|{event}| {_id(unit)}" for node, _, event, unit in outside]
    lines += [""]
    for colour, stroke in COLOURS.items():
        members = [node for node, _, _, unit in outside if boot.colours[unit] == colour]
        members += [_id(name) for name in nodes if boot.colours[name] == colour]
        if members:
            lines += [
                f"  classDef {colour} stroke:{stroke},stroke-width:2px",
                f"  class {','.join(members)} {colour}",
            ]
    return "\n".join(lines)


def page_with_graphs(root: Path) -> str:
    """docs/boot.md as it should be: its prose, and between the markers the graphs of today's units."""
    text = (root / PAGE).read_text()
    for role in TREES:
        begin, end = f"<!-- graph: {role} -->\n", "<!-- end of the graph -->\n"
        before, begun, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not begun or not ended:
            raise ValueError(
                f"{PAGE} has no place for the graph of {role}: {begin.strip()} ... {end.strip()}"
            )
        text = f"{before}{begin}```mermaid\n{graph(root, role)}\n```\n{end}{after}"
    return text


def faults(root: Path) -> list[str]:
    """One sentence when the page shows another boot than the units."""
    if (root / PAGE).read_text() == page_with_graphs(root):
        return []
    return [f"{PAGE} shows another boot than the units in butane/overlay: run `{WRITE}`."]


def _node(name: str, boot: Boot) -> str:
    if name in SYSTEM:
        about = SYSTEM[name].format(relabelled=boot.relabelled)
    else:
        about = boot.units[name].text("Description")
    title = name.removesuffix(".service") if name in SYSTEM else name
    if name.endswith(".target"):
        return f'{_id(name)}(["{title}"])'
    return f'{_id(name)}["{"<br/>".join([title, *_lines(about)])}"]'


def _lines(about: str) -> list[str]:
    return textwrap.wrap(about, LABEL_WIDTH, break_long_words=False, break_on_hyphens=False)


def _id(name: str) -> str:
    return IDS.get(name) or re.sub(r"[^a-z0-9]", "_", name.lower())


def _relabelled(file: Path) -> str:
    """The path whose label the tmpfiles line restores."""
    found = re.search(r"^Z (\S+)", file.read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{file} restores no label.")
    return found.group(1)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=f"Print the boot graphs of both roles, or put them into {PAGE}."
    )
    parser.add_argument("--write", action="store_true", help=f"rewrite the graphs in {PAGE}")
    if parser.parse_args().write:
        (ROOT / PAGE).write_text(page_with_graphs(ROOT))
    else:
        print("\n\n".join(graph(ROOT, role) for role in TREES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
