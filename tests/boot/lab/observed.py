"""What more than one case looks at on its machines."""

from __future__ import annotations

import json

from tests.boot.lab.machine import Machine

UNIT = {"control-plane": "k3s.service", "agent": "k3s-agent.service"}


def until_ready(control_plane: Machine, count: int, **how: float) -> None:
    """Waits until exactly so many nodes are Ready."""
    control_plane.wait_until(
        f"test $(k3s kubectl get nodes --no-headers | awk '$2 == \"Ready\"' | wc -l) = {count}", **how
    )


def addresses(control_plane: Machine) -> dict[str, dict[str, str]]:
    """Node name -> type of address -> address, as the API has them."""
    listed = json.loads(control_plane.run("k3s kubectl get nodes -o json"))["items"]
    return {
        node["metadata"]["name"]: {entry["type"]: entry["address"] for entry in node["status"]["addresses"]}
        for node in listed
    }


def nothing_failed(machine: Machine) -> None:
    """No unit failed in this boot, and systemd dropped no job to break a cycle."""
    assert machine.run("systemctl list-units --failed --no-legend --plain") == ""
    assert "ordering cycle" not in machine.journal()


def started_at_s(machine: Machine, unit: str) -> float:
    """When the unit's program was executed in this boot, from the kernel's start on; 0 when it was not."""
    shown = machine.run(f"systemctl show --property ExecMainStartTimestampMonotonic --value {unit}")
    return int(shown.strip() or 0) / 1e6


def has_started(machine: Machine, unit: str) -> bool:
    """Whether the unit's program was executed in this boot, whatever became of it."""
    return started_at_s(machine, unit) > 0


def until_started(machine: Machine, unit: str, **how: float) -> None:
    """Waits until the unit's program was executed in this boot."""
    machine.wait_until(
        f"test $(systemctl show --property ExecMainStartTimestampMonotonic --value {unit}) -gt 0", **how
    )


def datastore_id(control_plane: Machine) -> str:
    """A datastore's own mark: kube-system is made when it is founded, and never again."""
    shown = control_plane.run("k3s kubectl get namespace kube-system -o json")
    return str(json.loads(shown)["metadata"]["uid"])


def objects(control_plane: Machine) -> set[str]:
    """What the auto-deploy directory's manifests have brought into the cluster, as Kind/name."""
    listed = json.loads(control_plane.run("k3s kubectl get objects -o json"))["items"]
    return {f"{item['kind']}/{item['metadata']['name']}" for item in listed}
