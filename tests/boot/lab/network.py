"""The wires: a public and a private segment that behave like Hetzner's, inside this process's namespace.

Public: each server has a /32 by DHCP, its gateway is 172.31.1.1 on the link. Private: routed, not switched.
On both, servers never see each other on layer 2: each bridge port is isolated, and what is sent to a
neighbour goes through the router, which is this side of the bridge.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.commands import end, run, start

PUBLIC, PRIVATE = "public", "private"
PUBLIC_GATEWAY = "172.31.1.1"
METADATA_ADDRESS = "169.254.169.254"
# The documentation's own range: an address of it is public to whoever looks at its form, and nobody's.
PUBLIC_PREFIX = "203.0.113"
PRIVATE_GATEWAY = "10.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """What the network has for the server on `port`; ports count from 1."""

    port: int

    @property
    def public_ip(self) -> str:
        return f"{PUBLIC_PREFIX}.{100 + self.port}"

    @property
    def public_mac(self) -> str:
        return f"96:00:00:00:00:{self.port:02x}"

    @property
    def private_mac(self) -> str:
        return f"86:00:00:00:00:{self.port:02x}"

    def tap(self, segment: str) -> str:
        """The name of the tap device on this side of the wire."""
        return f"{segment[:3]}{self.port}"


class Network:
    """Both segments, the router, and a DHCP server on each."""

    def __init__(self, folder: Path) -> None:
        """`folder` takes the DHCP server's log."""
        self._folder = folder
        self._dhcp: subprocess.Popen[bytes] | None = None
        self._port = 0

    def start(self) -> None:
        run(["ip", "-batch", "-"], given=_SEGMENTS)
        for name in ("ip_forward", "conf/all/forwarding"):
            Path(f"/proc/sys/net/ipv4/{name}").write_text("1")
        for segment in (PUBLIC, PRIVATE, "all"):
            # A redirect would tell a server to talk to its neighbour directly, which it cannot.
            Path(f"/proc/sys/net/ipv4/conf/{segment}/send_redirects").write_text("0")
        with (self._folder / "dhcp.log").open("wb") as log:
            self._dhcp = start(_dhcp_command(), log=log)

    def stop(self) -> None:
        if self._dhcp is not None:
            end(self._dhcp)

    def new_port(self) -> Addresses:
        """Wires for one more server."""
        self._port += 1
        addresses = Addresses(port=self._port)
        for segment in (PUBLIC, PRIVATE):
            tap = addresses.tap(segment)
            run(["ip", "tuntap", "add", "dev", tap, "mode", "tap"])
            run(["ip", "link", "set", tap, "master", segment, "up"])
            run(["bridge", "link", "set", "dev", tap, "isolated", "on"])
        return addresses


_SEGMENTS = f"""\
link add {PUBLIC} type bridge
link add {PRIVATE} type bridge
addr add {PUBLIC_PREFIX}.1/24 dev {PUBLIC}
addr add {PUBLIC_GATEWAY}/32 dev {PUBLIC}
addr add {PRIVATE_GATEWAY}/16 dev {PRIVATE}
addr add {METADATA_ADDRESS}/32 dev lo
link set {PUBLIC} up
link set {PRIVATE} up
"""


def _dhcp_command() -> list[str]:
    hosts = [Addresses(port=port) for port in range(1, 100)]
    return [
        "dnsmasq",
        # Not --keep-in-foreground: changing its user, it would forget to end with this process.
        "--no-daemon",
        "--conf-file=/dev/null",
        "--log-facility=-",
        "--log-dhcp",
        "--port=0",
        "--pid-file=",
        "--leasefile-ro",
        "--user=root",
        "--bind-interfaces",
        f"--interface={PUBLIC},{PRIVATE}",
        f"--dhcp-range=set:public,{PUBLIC_PREFIX}.0,static,255.255.255.0",
        "--dhcp-option=tag:public,option:netmask,255.255.255.255",
        f"--dhcp-option=tag:public,option:router,{PUBLIC_GATEWAY}",
        # A server that listens to this takes the wrong way: an address of the segment, and a route to the
        # metadata service, are announced.
        "--dhcp-range=set:private,10.0.77.1,10.0.77.250",
        f"--dhcp-option=tag:private,option:router,{PRIVATE_GATEWAY}",
        "--dhcp-option=tag:private,option:classless-static-route,"
        f"{METADATA_ADDRESS}/32,{PRIVATE_GATEWAY},10.0.0.0/8,{PRIVATE_GATEWAY}",
        *(f"--dhcp-host={host.public_mac},{host.public_ip}" for host in hosts),
    ]
