"""Debian's Chromium, headless, in a network namespace of its own: it reaches one server, nothing else."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import socket
import socketserver
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
HERE = Path(__file__).parent
# Chromium's own sandbox does not start for root, which it is in the namespace; the only page it gets is ours.
# The rest makes it draw the same everywhere.
ARGUMENTS = ("--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb")


class BrowserMissingError(Exception):
    """What the machine lacks, and how to get it."""


def find_chromium() -> str:
    """The browser on PATH."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    raise BrowserMissingError(
        "The tests of the local cloud's page need Chromium, and none of "
        f"{', '.join(NAMES)} is on PATH: apt-get install chromium fonts-dejavu-core"
    )


@contextlib.contextmanager
def lonely_browser(port: int) -> Iterator[Browser]:
    """A browser for which 127.0.0.1:`port` is the server that listens there outside, and all there is."""
    chromium = find_chromium()
    if not FONT.exists():
        raise BrowserMissingError(f"{FONT} is missing: apt-get install fonts-dejavu-core")
    with tempfile.TemporaryDirectory(prefix="lonely-browser-") as scratch, contextlib.ExitStack() as stack:
        folder = Path(scratch)
        hall = stack.enter_context(socket.socket(socket.AF_UNIX))
        hall.bind(str(folder / "hall"))
        hall.listen(1)
        hall.settimeout(30)
        playwright = stack.enter_context(sync_playwright())
        browser = _launched(playwright, _launcher(folder, port, chromium), scratch)
        stack.callback(browser.close)
        stack.enter_context(_forwarding(_handed_out(hall), port))
        yield browser


def _launched(playwright: Playwright, launcher: Path, cache: str) -> Browser:
    environment = os.environ | {"FONTCONFIG_FILE": str(HERE / "fonts.conf"), "XDG_CACHE_HOME": cache}
    try:
        return playwright.chromium.launch(executable_path=launcher, args=ARGUMENTS, env=environment)
    except Error as error:
        error.add_note(
            "Chromium is started in namespaces of its own. Does `unshare` say that it may not? Run the tests "
            "as root, or allow users namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        )
        raise


def _launcher(folder: Path, port: int, chromium: str) -> Path:
    """A script that starts Chromium alone, with the arguments it is given.

    The namespace of processes is there so that all of the browser ends when its first process does, and that
    one ends with whoever started it.
    """
    unshare = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.getuid() != 0:
        unshare.append("--map-root-user")
    command = [*unshare, sys.executable, HERE / "own_network.py", folder / "hall", port, chromium]
    script = folder / "launch"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, command))} "$@"\n')
    script.chmod(0o700)
    return script


def _handed_out(hall: socket.socket) -> socket.socket:
    connection, _ = hall.accept()
    with connection:
        _, (listener,), _, _ = socket.recv_fds(connection, 64, 1)
    return socket.socket(fileno=listener)


@contextlib.contextmanager
def _forwarding(listener: socket.socket, port: int) -> Iterator[None]:
    """Connect whoever comes to the listener with the server on `port` in this process's own network."""

    class Forward(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            # A server that is down, or either end going away, is what the browser is to see.
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as server:
                while _passed_on(self.request, server):
                    pass

    class Forwarder(socketserver.ThreadingTCPServer):
        daemon_threads = True

    forwarder = Forwarder(("127.0.0.1", port), Forward, bind_and_activate=False)
    forwarder.socket.close()
    forwarder.socket = listener
    thread = threading.Thread(target=forwarder.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        forwarder.shutdown()
        thread.join()
        forwarder.server_close()


def _passed_on(one: socket.socket, other: socket.socket) -> bool:
    """Wait until one of them says something and tell the other; False when one has ended."""
    ready, _, _ = select.select([one, other], [], [])
    for source in ready:
        data = source.recv(65536)
        if not data:
            return False
        (other if source is one else one).sendall(data)
    return True
