"""`own_network.py SOCKET PORT COMMAND...`: becomes the command, in a network that has one server.

It is started in an empty network namespace. There it brings up the loopback interface and listens on
127.0.0.1:PORT, hands that listening socket out through the Unix socket SOCKET, and is the command from then
on: whoever got the socket decides what the command talks to.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1


def main(hall: str, port: int, command: list[str]) -> None:
    _bring_loopback_up()
    with socket.create_server(("127.0.0.1", port)) as listener, socket.socket(socket.AF_UNIX) as out:
        out.connect(hall)
        socket.send_fds(out, [b"listener"], [listener.fileno()])
    os.execvp(command[0], command)


def _bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, SIOCGIFFLAGS, struct.pack("16sh22x", b"lo", 0))
        _, flags = struct.unpack("16sh22x", answer)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | IFF_UP))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
