"""The commands of the README, in a copy of the checkout: make up twice, make env, make down, make purge; and
what becomes of them when they are stopped, killed or run twice at once."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN = ("RAYA_LOCALCLOUD", "PULUMI_HOME", "PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE")
PATIENCE_S = 60
STATE = ".raya/local/state/.pulumi"
TOKEN = "t" * 64


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
        status, output = self.ends(self.start(*arguments))
        assert status == 0, f"make {' '.join(arguments)}:\n{output}"
        return output

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if name not in OWN}
        return subprocess.Popen(
            ["make", *arguments],
            cwd=self.folder,
            env={**environment, "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def ends(self, run: subprocess.Popen[str]) -> tuple[int, str]:
        output, _ = run.communicate(timeout=300)
        return run.returncode, output

    def start_up_that_hangs(self, server: str, seconds: float) -> subprocess.Popen[str]:
        """A `make up` in the middle of a creation: the cloud takes the order, and does not answer yet."""
        run = self.start("up")
        until(self.listens)
        fault = {
            "kind": "hang",
            "method": "POST",
            "path": "/servers$",
            "name": server,
            "delaySeconds": seconds,
        }
        self.http("POST", "_control/faults", fault)
        until(lambda: self.http("GET", "_control/faults")["faults"][-1]["struck"])
        return run

    def http(self, method: str, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        answer = httpx.request(method, f"http://127.0.0.1:{self.port}/{path}", json=body, headers=headers)
        return answer.raise_for_status().json()

    def servers(self) -> list[str]:
        return sorted(each["name"] for each in self.http("GET", "hcloud/v1/servers")["servers"])

    def programs(self) -> dict[int, str]:
        """What runs of this checkout, but for its cloud: engine, language host, program, plugins."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                ours = f"PULUMI_HOME={self.folder}/" in (folder / "environ").read_bytes().decode()
                if ours and command and " localcloud serve " not in command:
                    found[int(folder.name)] = command
        return found

    def locks(self) -> list[Path]:
        """The files by which the engine locks the stack."""
        return list((self.folder / STATE / "locks").glob("**/local/*.json"))

    def kill(self, run: subprocess.Popen[str]) -> None:
        """End make and all that it runs by SIGKILL, but for the cloud and, as an engine's death does, the
        language host."""
        others = [pid for pid, command in self.programs().items() if not self._is_host(command)]
        for pid in (run.pid, *others):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(lambda: all(self._is_host(command) for command in self.programs().values()))
        run.communicate(timeout=30)

    def _is_host(self, command: str) -> bool:
        return command.startswith(f"{self.folder}/.raya/bin/pulumi-language-python ")

    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    # A folder with a space: every path in the scripts is quoted.
    copy = Checkout(tmp_path / "a checkout")
    yield copy
    for pid in copy.programs():
        os.kill(pid, signal.SIGKILL)
    pid_file = copy.folder / ".raya/local/cloud.pid"
    stop = [sys.executable, "-m", "localcloud", "stop", "--pid-file", str(pid_file)]
    subprocess.run(stop, cwd=ROOT, check=True)
    assert not copy.listens()


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
    assert not list((checkout.folder / ".raya/local").glob("cloud.sqlite*"))
    for verb in ("down", "purge"):
        again = checkout.make(verb)
        assert "there is no local stack" in again
        assert "localcloud" not in again, "no cloud is started to say so"
    assert (checkout.folder / "Pulumi.local.yaml").read_text() == checkout.stack_text, (
        "the file stays as it was"
    )


def test_the_handbooks_second_stack(checkout: Checkout) -> None:
    page = (checkout.folder / "docs/localcloud.md").read_text()
    block = page.partition("## A second stack")[2].partition("```sh\n")[2]
    make_file = block.partition("\nmake preview STACK=second ")[0]
    assert make_file.startswith("cp Pulumi.local.yaml Pulumi.second.yaml\n")
    subprocess.run(["bash", "-euc", make_file], cwd=checkout.folder, check=True)
    shown = checkout.make("preview", "STACK=second")
    assert checkout.listens(), "it has started the cloud"
    for name in ("second-control-plane", "second-agent-1", "second.example.org."):
        assert f'"{name}"' in shown, name
    assert "--outputs:--" not in shown, "what a machine would be told is shown once, at the machine"
    assert "Nothing to recover: second and its clouds agree." in checkout.make("recover", "STACK=second")
    assert "second" not in checkout.make("orphans", "STACK=second")


def test_the_local_verbs_refuse_another_stack(checkout: Checkout) -> None:
    for verb in ("up", "down", "purge"):
        ran = subprocess.run(
            ["make", verb, "STACK=prod"], cwd=checkout.folder, capture_output=True, text=True, check=False
        )
        assert ran.returncode != 0
        assert f"make {verb} works on the local stack only; for prod run pulumi up" in ran.stderr


def test_a_stopped_up_finishes_its_step_and_frees_the_stack(checkout: Checkout) -> None:
    run = checkout.start_up_that_hangs("agent-1", seconds=3)
    for verb in ("up", "purge"):
        status, output = checkout.ends(checkout.start(verb))
        assert status != 0
        assert re.search(
            rf"^make {verb}: another make up runs in this checkout \(pid \d+\)", output, re.MULTILINE
        )
    # To the whole group, as `timeout` does: the engine still hears of it once, which is no "give up at once".
    os.killpg(run.pid, signal.SIGTERM)
    status, output = checkout.ends(run)
    assert status != 0
    assert "stopped by SIGTERM" in output
    assert not checkout.programs()
    assert "agent-1" in checkout.servers()
    assert not checkout.locks()
    state = json.loads((checkout.folder / STATE / "stacks/raya/local.json").read_text())["checkpoint"][
        "latest"
    ]
    assert not state.get("pending_operations")
    assert any(each["urn"].endswith("$hcloud:index/server:Server::agent-1") for each in state["resources"])


def test_after_a_kill_in_mid_creation_purge_brings_a_clean_slate(checkout: Checkout) -> None:
    checkout.kill(checkout.start_up_that_hangs("agent-1", seconds=2))
    until(lambda: "agent-1" in checkout.servers())
    (lock,) = checkout.locks()
    text = lock.read_text()
    (host,) = checkout.programs()

    status, output = checkout.ends(checkout.start("up"))
    assert status != 0
    assert f"had left its language host behind (pid {host}): ended it." in output
    assert not checkout.programs()
    assert "was locked by a run that was killed (pid " in output
    assert "of which the state of the stack local does not know" in output
    assert "`make recover` shows what a killed run left and mends it; `make purge` starts afresh" in output

    status, output = checkout.ends(checkout.start("recover"))
    assert status != 0
    assert "Delete the server agent-1 (" in output
    assert "Nothing was changed" in output

    status, output = checkout.ends(checkout.start("down"))
    assert status != 0
    assert re.search("^  server agent-1$", output, re.MULTILINE), "down does not claim to be done"

    # As if nothing had been run since the kill.
    lock.write_text(text)
    assert "was locked by a run that was killed (pid " in checkout.make("purge")
    assert not checkout.listens()
    checkout.make("up")
    assert checkout.servers() == ["agent-0", "agent-1", "control-plane"]
