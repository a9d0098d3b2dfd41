"""Boots in the boot lab: the machines that the program renders, by the same machines without its units.

The floor is rendered from the same settings and has the same image, hardware, network file and k3s. Only our
units and scripts are taken out of its config, and its k3s starts once the network is online. Both take turns.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from raya import machine_config, throwaway_keys
from raya.machine_config import NodeSpec
from rendering.ignition import canonical
from rendering.user_data import pack
from tests.boot.lab import image, namespace
from tests.boot.lab.cluster import ROOT, Cluster, Lab
from tests.boot.lab.hardware import Volume
from tests.boot.lab.machine import Machine
from tests.boot.lab.metadata import Metadata
from tests.boot.lab.network import Network
from tests.boot.lab.observed import UNIT, started_at_s, until_ready, until_started

ROUNDS = 3
OUR_FOLDERS = ("/etc/systemd/system/", "/usr/local/bin/k3s-", "/usr/local/bin/mkfs-")
FLOOR_UNIT = """\
[Unit]
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
ExecStart=/usr/local/bin/k3s {role}

[Install]
WantedBy=multi-user.target
"""


def boot() -> Iterator[dict[str, float]]:
    """Seconds to k3s by role, our share of them, and what a replaced control plane costs."""
    # In a process of its own, because it moves into a network namespace.
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        yield process.submit(_measured).result()


def _measured() -> dict[str, float]:
    made = image.ready()
    namespace.enter()
    with tempfile.TemporaryDirectory(prefix="raya-bench-") as folder:
        network, metadata = Network(Path(folder)), Metadata()
        network.start()
        metadata.start()
        lab = Lab(Path(folder), made, network, metadata)
        try:
            cluster = Cluster(lab, {}, throwaway_keys.authorized_key())
            figures: dict[str, float] = {}
            for name in ("agent-0", "control-plane"):
                figures |= _compared(lab, cluster.specs()[name], cluster)
            return figures | _replaced(cluster)
        finally:
            lab.close(failed=False)
            metadata.stop()
            network.stop()


def _compared(lab: Lab, spec: NodeSpec, cluster: Cluster) -> dict[str, float]:
    """`boot_ratio_<role>`: from the kernel's start to k3s' first instruction, at reboots."""
    with_units = cluster.machine(spec, volume=_volume(cluster, spec))
    floor = lab.machine(f"floor-{spec.role}", _without_our_units(spec))
    unit = UNIT[spec.role]
    shares: list[float] = []
    seconds: dict[str, list[float]] = {"real": [], "floor": []}
    for number in range(ROUNDS + 1):
        for name, machine in (("real", with_units), ("floor", floor)):
            machine.power_on()
            until_started(machine, unit)
            # The first boot is Ignition's; what happens at every boot is measured.
            if number:
                seconds[name].append(started_at_s(machine, unit))
                if name == "real":
                    shares.append(_share_of_chain(machine, unit))
            machine.shut_down()
    role = spec.role.replace("-", "_")
    real, least = (statistics.median(seconds[name]) for name in ("real", "floor"))
    return {
        f"boot_ratio_{role}": round(real / least, 3),
        f"boot_s_{role}": round(real, 2),
        f"boot_floor_s_{role}": round(least, 2),
        f"boot_chain_share_{role}": round(statistics.median(shares), 3),
    }


def _replaced(cluster: Cluster) -> dict[str, float]:
    """Power-on to all nodes Ready: of a new cluster's control plane, and of the one that takes its place."""
    volume = cluster.volume()
    first, agent = cluster.server("control-plane", volume=volume), cluster.server("agent-0")
    agent.power_on()
    until_started(agent, UNIT["agent"])
    founding = _until_both_are_ready(first)
    first.discard()
    recovery = _until_both_are_ready(cluster.server("control-plane", volume=volume))
    return {
        "recovery_s_control_plane": round(recovery, 1),
        "founding_s_control_plane": round(founding, 1),
        "recovery_ratio_control_plane": round(recovery / founding, 3),
    }


def _until_both_are_ready(control_plane: Machine) -> float:
    control_plane.power_on()
    until_ready(control_plane, 2)
    return time.monotonic() - control_plane.powered_at


def _volume(cluster: Cluster, spec: NodeSpec) -> Volume | None:
    return cluster.volume() if spec.role == "control-plane" else None


def _without_our_units(spec: NodeSpec) -> str:
    config = json.loads(machine_config.render(spec, project_root=ROOT).ignition)
    files = config["storage"]["files"]
    config["storage"]["files"] = [file for file in files if not file["path"].startswith(OUR_FOLDERS)]
    role = "server" if spec.role == "control-plane" else "agent"
    config["systemd"]["units"] = [
        {"name": UNIT[spec.role], "enabled": True, "contents": FLOOR_UNIT.format(role=role)}
    ]
    return pack(canonical(json.dumps(config)))


def _share_of_chain(machine: Machine, unit: str) -> float:
    """How much of the way to `unit` our own units on its critical chain took."""
    chain = machine.run(f"systemd-analyze critical-chain --no-pager {unit}")
    ours = r"(?:k3s-|mkfs-k3s|grow-k3s|var-lib-rancher)\S*"
    took = sum(_seconds(text) for text in re.findall(rf"─{ours} @.+? \+(.+)", chain))
    return took / started_at_s(machine, unit)


def _seconds(text: str) -> float:
    """systemd's "1min 2.345s" or "738ms" in seconds."""
    units = {"min": 60.0, "s": 1.0, "ms": 0.001, "us": 1e-6}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+)(min|ms|us|s)", text))
