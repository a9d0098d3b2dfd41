"""The commands of the README, in a copy of the checkout: make up twice, make env, make down, make purge."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = ("RAYA_LOCALCLOUD", "PULUMI_HOME", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE")


class Checkout:
    """A copy of what git knows of this project, with a port of its own and this checkout's .venv."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.splitlines():
            if (ROOT / name).exists() and not name.startswith("tests/"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
        (folder / ".venv").symlink_to(ROOT / ".venv")
        stack = folder / "Pulumi.local.yaml"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.stack_text = re.sub(r"127\.0\.0\.1:\d+/", f"127.0.0.1:{self.port}/", stack.read_text())
        stack.write_text(self.stack_text)

    def make(self, *arguments: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name not in OWN}
        ran = subprocess.run(
            ["make", *arguments],
            cwd=self.folder,
            env={**environment, "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert ran.returncode == 0, f"make {' '.join(arguments)}:\n{ran.stdout}"
        return ran.stdout

    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    # A folder with a space: every path in the scripts is quoted.
    copy = Checkout(tmp_path / "a checkout")
    yield copy
    if copy.listens():
        copy.make("purge")


def test_the_readmes_commands(checkout: Checkout) -> None:
    first = checkout.make("up")
    for output in ("controlPlane.publicIp", "agents.agent-0.fqdn", "agents.agent-1.fqdn", "nameServers"):
        assert re.search(rf"^  {re.escape(output)} +\S", first, re.MULTILINE), output
    assert re.search(r"^  kubeconfig +\[secret\]$", first, re.MULTILINE)

    second = checkout.make("up")
    assert re.search(r"^ +\d+ unchanged$", second, re.MULTILINE)
    assert not re.search(r"^ +(\+|-|~|\+-) ?\d+ (created|deleted|updated|replaced)", second, re.MULTILINE)

    preview = subprocess.run(
        [
            "bash",
            "-euc",
            'eval "$(make -s env STACK=local)"; pulumi preview --stack local --expect-no-changes',
        ],
        cwd=checkout.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert preview.returncode == 0, preview.stdout + preview.stderr

    down = checkout.make("down")
    assert "hcloud:index/volume:Volume control-plane" in down, "what is protected is named"
    assert re.search(r"^state volume .* 10\.0 ", down, re.MULTILINE), "and its cost"
    assert not checkout.listens(), "make down leaves nothing running"

    purge = checkout.make("purge")
    assert "state volume" not in purge
    assert not checkout.listens()
    assert "there is no local stack" in checkout.make("down")
    assert (checkout.folder / "Pulumi.local.yaml").read_text() == checkout.stack_text, (
        "the file stays as it was"
    )


def test_the_local_verbs_refuse_another_stack(checkout: Checkout) -> None:
    for verb in ("up", "down", "purge"):
        ran = subprocess.run(
            ["make", verb, "STACK=prod"], cwd=checkout.folder, capture_output=True, text=True, check=False
        )
        assert ran.returncode != 0
        assert f"make {verb} works on the local stack only; for prod run pulumi up" in ran.stderr
