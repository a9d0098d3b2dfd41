"""A lab that is killed leaves no process, no network namespace and no mount behind."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.boot.lab.cluster import ROOT
from tests.boot.lab.image import Image

# A lab of its own, with one machine: it says when that is on, and then does nothing until it is killed.
A_LAB = """
import sys, time
from pathlib import Path
from raya import throwaway_keys
from tests.boot.lab import namespace
from tests.boot.lab.cluster import Cluster, Lab
from tests.boot.lab.image import Image
from tests.boot.lab.metadata import Metadata
from tests.boot.lab.network import Network

folder = Path(sys.argv[1])
namespace.enter()
network, metadata = Network(folder), Metadata()
network.start()
metadata.start()
lab = Lab(folder, Image(Path(sys.argv[2])), network, metadata)
cluster = Cluster(lab, {}, throwaway_keys.authorized_key())
cluster.server("agent-0").power_on()
print("on", flush=True)
time.sleep(300)
"""


def test_the_kernel_clears_up_after_a_kill(boot_image: Image, tmp_path: Path) -> None:
    mounts = Path("/proc/self/mounts").read_text()
    lab = subprocess.Popen(
        [sys.executable, "-c", A_LAB, str(tmp_path), str(boot_image.folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert lab.stdout is not None
    with lab.stdout:
        assert lab.stdout.readline() == "on\n"
        own_namespace = namespace_of(f"/proc/{lab.pid}")
        assert own_namespace != namespace_of("/proc/self")
        started = processes_in(own_namespace) - {lab.pid}
        # The machine and the DHCP server.
        assert len(started) == 2
        lab.send_signal(signal.SIGKILL)
        lab.wait(30)
    limit = time.monotonic() + 30
    while processes_in(own_namespace) and time.monotonic() < limit:
        time.sleep(0.1)
    # A namespace without a process, a mount or a name is gone.
    assert processes_in(own_namespace) == set()
    assert own_namespace not in named_namespaces()
    assert Path("/proc/self/mounts").read_text() == mounts


def namespace_of(process: str | Path) -> str:
    return str(Path(process, "ns/net").readlink())


def processes_in(namespace: str) -> set[int]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if namespace_of(process) == namespace:
                found.add(int(process.name))
    return found


def named_namespaces() -> set[str]:
    return {f"net:[{file.stat().st_ino}]" for file in Path("/run/netns").glob("*")}
