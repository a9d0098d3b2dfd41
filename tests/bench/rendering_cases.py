"""What rendering every machine of the local stack costs, and how large the results are."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from raya import stack_file, throwaway_keys
from raya.machine_specs import MachineSpecs
from raya.pins import Pins
from raya.rehearsal import every_machine
from raya.settings import Settings
from raya.throwaway import ThrowawaySecrets
from rendering.user_data import LIMIT_BYTES
from tests import largest_cluster
from tests.bench.measuring import timed

ROOT = Path(__file__).resolve().parents[2]


def render() -> Iterator[dict[str, float]]:
    """Seconds for `make render`, and the bytes of user data: by role, with two ed25519 keys, and at most."""
    config, secret_keys = stack_file.load(ROOT, "local")
    specs = MachineSpecs(
        settings=Settings.load(config, secret_keys=secret_keys, root=ROOT),
        pins=Pins.load(ROOT / "image"),
        authorized_keys=[throwaway_keys.authorized_key() for _ in range(2)],
        project_root=ROOT,
    )
    sizes: dict[str, int] = {}
    for spec, config_ in every_machine(specs, ThrowawaySecrets(specs.settings, throwaway_keys.pki())):
        sizes[spec.role] = max(sizes.get(spec.role, 0), len(config_.user_data.encode()))
    largest = largest_cluster.user_data_bytes(largest_cluster.ed25519_keys(10))
    yield {
        "render_s": round(timed(_render).wall_s, 2),
        "user_data_bytes_agent": sizes["agent"],
        "user_data_bytes_control_plane": sizes["control-plane"],
        "user_data_bytes_largest": largest,
        "user_data_percent_spare": round(100 - 100 * largest / LIMIT_BYTES, 1),
        "user_data_bytes_largest_rsa": largest_cluster.user_data_bytes(largest_cluster.rsa_keys(10)),
    }


def _render() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "raya.render", "--stack", "local", "--out", folder]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
